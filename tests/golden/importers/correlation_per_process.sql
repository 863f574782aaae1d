-- The same correlation ids in two processes belong to different calls.
.read common/tables.sql
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (100, 110, 0, 0x0001000010000011, 1, 1, 0, NULL), (101, 111, 0, 0x0001000020000021, 1, 1, 0, NULL);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName) VALUES
  (200, 300, 0, 1, 7, 1, 0x0001000010000000, 2, 3), (210, 310, 0, 1, 7, 1, 0x0001000020000000, 2, 3);
