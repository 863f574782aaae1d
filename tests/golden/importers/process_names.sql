-- A process that changed its name has the last one; one without a name has that of its main thread.
.read common/tables.sql
INSERT INTO PROCESSES VALUES (0x0001000010000000, 16, 'bash'), (0x0001000010000000, 16, 'python'), (0x0001000099000000, 153, 'bystander');
INSERT INTO ThreadNames VALUES (9, 0, 0x0001000020000020), (3, 0, 0x0001000099000099);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 2, 0, 0x0001000010000011, 1, 1, 0, NULL), (3, 4, 0, 0x0001000020000021, 1, 1, 0, NULL), (5, 6, 0, 0x0001000030000031, 1, 1, 0, NULL);
