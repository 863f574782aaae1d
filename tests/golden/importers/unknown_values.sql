-- Values outside their enumerations are kept and counted.
.read common/tables.sql
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (100, 110, 13, 0x0001000010000011, 1, 5, 0, NULL), (120, 130, 26, 0x0001000010000011, 2, 5, 0, NULL), (140, 150, 200, 0x0001000010000011, 3, 5, 5000000000, NULL);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName, launchType, gridX) VALUES (200, 300, 0, 1, 7, 1, 0x0001000010000000, 2, 3, 9, 5000000000);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, contextId, streamId, correlationId, globalPid, bytes, copyKind, srcKind, dstKind) VALUES
  (310, 320, 0, 1, 7, 2, 0x0001000010000000, 1, 50, 8, 2), (330, 340, 0, 1, 7, 3, 0x0001000010000000, 1, 1000, NULL, NULL);
