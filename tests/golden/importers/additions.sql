-- Columns, tables, views and triggers that people add are none of our business.
.read common/tables.sql
ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN kernelName TEXT;
CREATE TABLE my_notes (note TEXT);
CREATE TABLE empty_notes (note TEXT);
CREATE TABLE OSRT_FILE_ACCESS_EVENTS (fileAccessId INTEGER);
CREATE VIEW OSRT_API AS SELECT start, end, globalTid, nameId, 27 AS eventClass FROM CUPTI_ACTIVITY_KIND_RUNTIME;
CREATE INDEX _nsysai_index ON CUPTI_ACTIVITY_KIND_KERNEL (start);
INSERT INTO my_notes VALUES ('hello');
INSERT INTO OSRT_FILE_ACCESS_EVENTS VALUES (1);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 2, 0, 0x0001000010000011, 1, 1, 0, NULL);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName, kernelName) VALUES (10, 20, 0, 1, 7, 1, 0x0001000010000000, 2, 3, 'mine');
