-- Ids with the top bit set are negative in SQLite. The same pid on two machines are two processes.
.read common/tables.sql
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 2, 0, -144115187807420399, 1, 1, 0, NULL), (3, 4, 0, 0x0001000010000011, 1, 1, 0, NULL);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName) VALUES (10, 20, 0, 1, 7, 1, -144115187807420416, 2, 3), (10, 20, 0, 1, 7, 1, 0x0001000010000000, 2, 3);
