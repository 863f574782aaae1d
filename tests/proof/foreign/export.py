"""Writes what foreign/machine.py recorded as an Nsight Systems SQLite export (schema 3.24)."""

import sqlite3

TABLES = """
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);
CREATE TABLE META_DATA_CAPTURE (name TEXT NOT NULL, value TEXT);
CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
CREATE TABLE ThreadNames (nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);
CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, busLocation TEXT,
  isDiscrete INTEGER, l2CacheSize INTEGER, totalMemory INTEGER, memoryBandwidth INTEGER, clockRate INTEGER,
  smCount INTEGER, pwGpuId INTEGER, uuid TEXT, luid INTEGER, chipName TEXT, cuDevice INTEGER,
  ctxswDevPath TEXT, ctrlDevPath TEXT, revision INTEGER, nodeMask INTEGER, constantMemory INTEGER,
  maxIPC INTEGER, maxRegistersPerBlock INTEGER, maxShmemPerBlock INTEGER, maxShmemPerBlockOptin INTEGER,
  maxShmemPerSm INTEGER, maxRegistersPerSm INTEGER, threadsPerWarp INTEGER, asyncEngines INTEGER,
  maxWarpsPerSm INTEGER, maxBlocksPerSm INTEGER, maxThreadsPerBlock INTEGER, maxBlockDimX INTEGER,
  maxBlockDimY INTEGER, maxBlockDimZ INTEGER, maxGridDimX INTEGER, maxGridDimY INTEGER, maxGridDimZ INTEGER,
  computeMajor INTEGER, computeMinor INTEGER, smMajor INTEGER, smMinor INTEGER);
CREATE TABLE TARGET_INFO_CUDA_CONTEXT_INFO (nullStreamId INTEGER NOT NULL, hwId INTEGER NOT NULL,
  vmId INTEGER NOT NULL, processId INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL,
  parentContextId INTEGER, isGreenContext INTEGER, numMultiprocessors INTEGER);
CREATE TABLE TARGET_INFO_CUDA_STREAM (streamId INTEGER NOT NULL, hwId INTEGER NOT NULL, vmId INTEGER NOT NULL,
  processId INTEGER NOT NULL, contextId INTEGER NOT NULL, priority INTEGER NOT NULL, flag INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL,
  globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, callchainId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER,
  globalPid INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER,
  launchType INTEGER, cacheConfig INTEGER, registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL,
  gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL,
  blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL,
  localMemoryPerThread INTEGER NOT NULL, localMemoryTotal INTEGER NOT NULL, gridId INTEGER NOT NULL,
  sharedMemoryExecuted INTEGER, graphNodeId INTEGER, sharedMemoryLimitConfig INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER,
  globalPid INTEGER, bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, deprecatedSrcId INTEGER, srcKind INTEGER,
  dstKind INTEGER, srcDeviceId INTEGER, srcContextId INTEGER, dstDeviceId INTEGER, dstContextId INTEGER,
  migrationCause INTEGER, graphNodeId INTEGER, virtualAddress INTEGER, copyCount INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER NOT NULL, end INTEGER NOT NULL,
  deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL,
  correlationId INTEGER, globalPid INTEGER, deprecatedSyncType INTEGER, syncType INTEGER NOT NULL,
  eventId INTEGER NOT NULL, eventSyncId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (timestamp INTEGER, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL,
  greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, eventId INTEGER NOT NULL,
  eventSyncId INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER,
  category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER,
  domainId INTEGER, uint64Value INTEGER, int64Value INTEGER, doubleValue REAL, uint32Value INTEGER,
  int32Value INTEGER, floatValue REAL, jsonTextId INTEGER, jsonText TEXT, binaryData TEXT);
CREATE TABLE OSRT_API (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER,
  nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, nestingLevel INTEGER, callchainId INTEGER NOT NULL,
  argumentsId INTEGER NOT NULL);
"""
MPI_TABLES = """
CREATE TABLE MPI_RANKS (globalTid INTEGER NOT NULL, rank INTEGER NOT NULL);
CREATE TABLE MPI_COMMUNICATORS (rank INTEGER, timestamp INTEGER, commHandle INTEGER, parentHandle INTEGER,
  localRank INTEGER, size INTEGER, groupRoot INTEGER, groupRootUid INTEGER, members TEXT);
CREATE TABLE MPI_P2P_EVENTS (start INTEGER NOT NULL, end INTEGER, globalTid INTEGER, textId INTEGER, commHandle INTEGER,
  tag INTEGER, remoteRank INTEGER, size INTEGER, requestHandle INTEGER);
CREATE TABLE MPI_START_WAIT_EVENTS (start INTEGER NOT NULL, end INTEGER, globalTid INTEGER, textId INTEGER,
  requestHandle INTEGER);
CREATE TABLE MPI_COLLECTIVES_EVENTS (start INTEGER NOT NULL, end INTEGER, globalTid INTEGER, textId INTEGER,
  commHandle INTEGER, rootRank INTEGER, size INTEGER, recvSize INTEGER, requestHandle INTEGER);
"""
ZERO = 1_000_000_000  # Times of an export begin some time after the profiler's clock.


class Writer:
    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.db.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;" + TABLES)
        self.texts = {}

    def text(self, value):
        if value not in self.texts:
            self.texts[value] = len(self.texts) + 1
        return self.texts[value]

    def rows(self, table, rows):
        """Rows are dictionaries with the same keys."""
        rows = list(rows)
        if not rows:
            return
        names = list(rows[0])
        places = ",".join("?" * len(names))
        self.db.executemany(f"INSERT INTO {table} ({','.join(names)}) VALUES ({places})",
                            [[row[name] for name in names] for row in rows])


def global_pid(pid):
    return (1 << 48) | (pid << 24)


def write(path, machine, with_os_calls=True):
    writer, record = Writer(path), machine.record
    shift = lambda time: ZERO + time
    writer.rows("META_DATA_EXPORT", ({"name": n, "value": v} for n, v in [
        ("EXPORT_PRODUCT_NAME", "NVIDIA Nsight Systems"), ("EXPORT_PRODUCT_VERSION", "2025.6.1.190"),
        ("EXPORT_SCHEMA_VERSION", "3.24.7"), ("EXPORT_SCHEMA_VERSION_MAJOR", "3"),
        ("EXPORT_SCHEMA_VERSION_MINOR", "24"), ("EXPORT_SCHEMA_VERSION_MICRO", "7")]))
    kinds = ["NvtxEvents", "Cuda"] + (["OsRuntime"] if with_os_calls else [])
    writer.rows("META_DATA_CAPTURE", ({"name": "CAPTURE_EVENT_TYPE", "value": kind} for kind in kinds))
    writer.rows("PROCESSES", ({"globalPid": global_pid(p.pid), "pid": p.pid, "name": "program"}
                              for p in machine.processes))
    writer.rows("ThreadNames", ({"nameId": writer.text(t.name), "priority": 10,
                                 "globalTid": global_pid(t.process.pid) | t.tid} for t in machine.threads if t.name))
    for gpu in machine.gpus:
        writer.rows("TARGET_INFO_GPU", [{
            "vmId": 1 << 48, "id": gpu.index, "name": "NVIDIA A100-SXM4-40GB", "busLocation": f"0000:0{gpu.index + 1}:00.0",
            "isDiscrete": 1, "totalMemory": 42405855232, "memoryBandwidth": 1555200000000, "clockRate": 1410000000,
            "smCount": 108, "cuDevice": gpu.index, "chipName": "GA100", "maxRegistersPerSm": 65536, "maxShmemPerSm": 167936,
            "maxWarpsPerSm": 64, "maxBlocksPerSm": 32, "threadsPerWarp": 32, "asyncEngines": 3,
            "computeMajor": 8, "computeMinor": 0, "smMajor": 8, "smMinor": 0}])
    for process in machine.processes:
        context = process.index + 1
        writer.rows("TARGET_INFO_CUDA_CONTEXT_INFO", [{
            "nullStreamId": 6, "hwId": 0, "vmId": 1, "processId": process.pid, "deviceId": process.gpu.index,
            "contextId": context}])
        writer.rows("TARGET_INFO_CUDA_STREAM", ({
            "streamId": 7 + i, "hwId": 0, "vmId": 1, "processId": process.pid, "contextId": context, "priority": 0,
            "flag": 3} for i in range(len(process.streams))))
    writer.rows("CUPTI_ACTIVITY_KIND_RUNTIME", ({
        "start": shift(b), "end": shift(e), "eventClass": 0, "globalTid": global_pid(pid) | tid, "correlationId": c,
        "nameId": writer.text(name + "_v7000"), "returnValue": code}
        for b, e, tid, pid, name, c, code in record.calls))
    writer.rows("CUPTI_ACTIVITY_KIND_KERNEL", ({
        "start": shift(b), "end": shift(e), "deviceId": d, "contextId": ctx, "streamId": s, "correlationId": c,
        "globalPid": global_pid(pid), "demangledName": writer.text(f"void {name}(float*, int)"),
        "shortName": writer.text(name), "launchType": 1, "registersPerThread": 32, "gridX": rest["blocks"], "gridY": 1,
        "gridZ": 1, "blockX": 256, "blockY": 1, "blockZ": 1, "staticSharedMemory": 0, "dynamicSharedMemory": 0,
        "localMemoryPerThread": 0, "localMemoryTotal": 0, "gridId": i + 1, "graphNodeId": rest.get("node")}
        for i, (b, e, d, ctx, s, c, pid, name, rest) in enumerate(record.kernels)))
    writer.rows("CUPTI_ACTIVITY_KIND_MEMCPY", ({
        "start": shift(b), "end": shift(e), "deviceId": d, "contextId": ctx, "streamId": s, "correlationId": c,
        "globalPid": global_pid(pid), "bytes": int(rest["bytes"]), "copyKind": 1 if name == "htod" else 2,
        "srcKind": (1 if rest["pinned"] else 0) if name == "htod" else 2,
        "dstKind": 2 if name == "htod" else (1 if rest["pinned"] else 0)}
        for b, e, d, ctx, s, c, pid, name, rest in record.copies))
    writer.rows("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", ({
        "start": shift(b), "end": shift(e), "deviceId": d, "contextId": ctx, "streamId": s, "correlationId": c,
        "globalPid": global_pid(pid), "syncType": kind, "eventId": event, "eventSyncId": sync}
        for b, e, d, ctx, s, c, pid, kind, (event, sync) in record.syncs))
    writer.rows("CUPTI_ACTIVITY_KIND_CUDA_EVENT", ({
        "timestamp": 0, "deviceId": 0, "contextId": ctx, "streamId": s, "correlationId": c, "globalPid": global_pid(pid),
        "eventId": event, "eventSyncId": sync} for s, c, pid, ctx, event, sync in record.events))
    writer.rows("NVTX_EVENTS", ({
        "start": shift(b), "end": shift(e), "eventType": 59, "text": text, "globalTid": global_pid(pid) | tid,
        "domainId": 0} for b, e, tid, pid, text in record.ranges))
    if with_os_calls:
        writer.rows("OSRT_API", ({
            "start": shift(b), "end": shift(e), "eventClass": 27, "globalTid": global_pid(pid) | tid,
            "nameId": writer.text(name), "returnValue": 0, "nestingLevel": 0, "callchainId": 0, "argumentsId": 0}
            for b, e, tid, pid, name in record.os_calls))
    if record.mpi:
        write_mpi(writer, machine, shift)
    writer.rows("StringIds", ({"id": i, "value": v} for v, i in writer.texts.items()))
    writer.db.commit()
    writer.db.close()


def write_mpi(writer, machine, shift):
    writer.db.executescript(MPI_TABLES)
    mains = {t.process.pid: t for t in reversed(machine.threads)}
    for process in machine.processes:
        tid = global_pid(process.pid) | mains[process.pid].tid
        writer.rows("MPI_RANKS", [{"globalTid": tid, "rank": process.rank}])
        writer.rows("MPI_COMMUNICATORS", [{
            "rank": process.rank, "timestamp": shift(0), "commHandle": 91, "localRank": process.rank,
            "size": len(machine.processes), "groupRoot": 0}])
    for begin, end, tid, pid, name, rest in machine.record.mpi:
        row = {"start": shift(begin), "end": shift(end), "globalTid": global_pid(pid) | tid, "textId": writer.text(name)}
        if "request" in rest:
            row["requestHandle"] = rest["request"]
        if name.startswith("MPI_Wait"):
            writer.rows("MPI_START_WAIT_EVENTS", [row])
            continue
        row |= {"commHandle": 91, "size": rest.get("bytes", 8)}
        if "peer" in rest:
            row |= {"tag": 0, "remoteRank": rest["peer"]}
        writer.rows("MPI_P2P_EVENTS" if "peer" in rest else "MPI_COLLECTIVES_EVENTS", [row])
