-- Rows that are not in order of time are sorted and counted.
.read common/tables.sql
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (300, 310, 0, 0x0001000010000011, 3, 1, 0, NULL), (100, 110, 0, 0x0001000010000011, 1, 1, 0, NULL), (200, 210, 0, 0x0001000010000011, 2, 1, 0, NULL);
