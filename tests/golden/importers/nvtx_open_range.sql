-- A range that was still open lasts until the latest time in the table.
.read common/tables.sql
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES
  (10, NULL, 59, 'open', 0x0001000010000011), (20, 500, 59, 'closed', 0x0001000010000011), (30, NULL, 60, 'open too', 0x0001000010000011),
  (40, 35, 59, 'ends before it begins', 0x0001000010000011), (900, NULL, 34, 'last mark', 0x0001000010000011);
