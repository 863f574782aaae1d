-- Names that the export does not hold are called name_<id>.
.read common/tables.sql
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName) VALUES
  (10, 20, 0, 1, 7, 0, 0x0001000010000000, 12345, 3), (30, 40, 0, 1, 7, 0, 0x0001000010000000, 12345, 9999999999), (50, 60, 0, 1, 7, 0, 0x0001000010000000, -4, 0);
