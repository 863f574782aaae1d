-- Priority is signed in unsigned clothes; flags; the null stream; a stream that no row describes; names given by NVTX.
.read common/tables.sql
CREATE TABLE TARGET_INFO_NVTX_CUDA_STREAM (name TEXT, hwId INTEGER, vmId INTEGER, processId INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER);
INSERT INTO TARGET_INFO_CUDA_CONTEXT_INFO VALUES (7, 0, 1, 16, 0, 1, 0, 0);
INSERT INTO TARGET_INFO_CUDA_STREAM VALUES (13, 0, 1, 16, 1, 4294967291, 1), (14, 0, 1, 16, 1, 0, 2), (7, 0, 1, 16, 1, 0, 1), (99, 0, 1, 16, 1, 0, 1), (16, 0, 1, 16, 1, NULL, 77);
INSERT INTO TARGET_INFO_NVTX_CUDA_STREAM VALUES ('copies', 0, 1, 16, 0, 1, 14);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName) VALUES
  (10, 20, 0, 1, 13, 0, 0x0001000010000000, 2, 3), (30, 40, 0, 1, 14, 0, 0x0001000010000000, 2, 3), (50, 60, 0, 1, 15, 0, 0x0001000010000000, 2, 3), (70, 80, 0, 1, 7, 0, 0x0001000010000000, 2, 3), (90, 95, 0, 1, 16, 0, 0x0001000010000000, 2, 3);
