-- A kernel that begins before its own call: clocks differ. Counted, not mended.
.read common/tables.sql
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (100, 110, 0, 0x0001000010000011, 1, 1, 0, NULL);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName) VALUES (95, 120, 0, 1, 7, 1, 0x0001000010000000, 2, 3);
