-- How it was recorded: only what is on the list, and the recorder's warnings.
.read common/tables.sql
CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
CREATE TABLE META_DATA_CAPTURE (name TEXT, value TEXT);
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, localTime TEXT);
CREATE TABLE ANALYSIS_DETAILS (globalVid INTEGER, duration INTEGER, startTime INTEGER, stopTime INTEGER);
CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid INTEGER, devStateName TEXT, name TEXT, nameEnum INTEGER, value TEXT);
CREATE TABLE DIAGNOSTIC_EVENT (timestamp INTEGER, timestampType INTEGER, source INTEGER, severity INTEGER, text TEXT, globalPid INTEGER);
CREATE TABLE ProcessStreams (globalPid INTEGER, filenameId INTEGER, contentId INTEGER);
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2025.6.1.190'), ('EXPORT_SCHEMA_VERSION', '3.24.7'), ('EXPORT_USER', 'alice'), ('EXPORT_HOST', 'box');
INSERT INTO META_DATA_CAPTURE VALUES ('PROCESS_0:CUDA_GRAPH_TRACE_OPTIONS:MODE', 'Node'), ('PROCESS_0:CUDA_SKIP_SOME_API_CALLS', 'true'), ('PROCESS_0:COMMAND', 'secret-command');
INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000, 'x', 'y');
INSERT INTO ANALYSIS_DETAILS VALUES (1, 5000, 931572954000000, 931572954005000);
INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES (1, 'd', 'CpuDescription', 13, 'Some CPU'), (1, 'd', 'NvDriverVersion', 205, '580.95.05'), (1, 'd', 'OsDescription', 605, CAST(X'4C696EFF' AS TEXT)), (1, 'd', 'CudaDriverVersion', 611, '12080'), (1, 'd', 'DeviceEnvironment', 610, 'TOKEN=1'), (1, 'd', 'Hostname', 619, 'box');
INSERT INTO DIAGNOSTIC_EVENT VALUES (50, 1, 1, 2, 'Not all NVTX events might have been collected.', NULL), (-10, 1, 2, 3, 'CUDA events were lost.', NULL), (1, 1, 1, 1, 'just information', NULL), (2, 1, 1, 4, 'verbose', NULL);
INSERT INTO ProcessStreams VALUES (0x0001000010000000, 1, 2);
