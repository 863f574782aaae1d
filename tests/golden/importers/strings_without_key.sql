-- StringIds without a primary key, in no order, with a double id.
CREATE TABLE StringIds (id INT, value TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER);
INSERT INTO StringIds VALUES (8, 'eight'), (3, 'three'), (8, 'eight again'), (5, 'five');
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 2, 0, 0x0001000010000011, 1, 8, 0), (3, 4, 0, 0x0001000010000011, 2, 3, 0), (5, 6, 0, 0x0001000010000011, 3, 4, 0), (7, 8, 0, 0x0001000010000011, 4, 5, 0);
