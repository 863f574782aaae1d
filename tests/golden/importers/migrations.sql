-- Unified-memory migrations stand on a track of their own and belong to no call.
.read common/tables.sql
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (100, 110, 0, 0x0001000010000011, 1, 5, 0, NULL);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, contextId, streamId, correlationId, globalPid, bytes, copyKind, srcKind, dstKind, migrationCause, virtualAddress) VALUES
  (200, 210, 0, 0, 0, 0, 0x0001000010000000, 65536, 11, 7, 7, 2, 140000),
  (220, 230, 0, 0, 0, 0, 0x0001000010000000, 65536, 12, 7, 7, 4, 150000),
  (240, 250, 0, 1, 7, 1, 0x0001000010000000, 64, 8, 2, 2, NULL, NULL),
  (260, 270, 1, 0, 0, 0, 0x0001000010000000, 4096, 1, 7, 7, 1, 160000);
