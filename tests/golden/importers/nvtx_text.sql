-- Registered and plain text, both, neither, control characters, a zero byte, bytes that are no UTF-8.
.read common/tables.sql
INSERT INTO StringIds VALUES (30, 'registered'), (31, CAST(X'6162C0FF' AS TEXT));
INSERT INTO NVTX_EVENTS (start, end, eventType, text, textId, globalTid) VALUES
  (1, 2, 59, 'plain', NULL, 0x0001000010000011), (3, 4, 59, NULL, 30, 0x0001000010000011), (5, 6, 59, 'plain', 30, 0x0001000010000011),
  (7, 8, 59, NULL, NULL, 0x0001000010000011), (9, 10, 59, '', NULL, 0x0001000010000011),
  (11, 12, 59, 'line' || char(10) || 'tab' || char(9) || '"quoted"', NULL, 0x0001000010000011),
  (13, 14, 59, 'zero' || char(0) || 'byte', NULL, 0x0001000010000011),
  (15, 16, 59, CAST(X'D0CFE8E2' AS TEXT), NULL, 0x0001000010000011), (17, 18, 59, NULL, 31, 0x0001000010000011),
  (19, 20, 59, 'grüße 漢字', NULL, 0x0001000010000011);
