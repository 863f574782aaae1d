-- An export with operating-system calls only.
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE OSRT_API (start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER, nameId INTEGER, returnValue INTEGER, nestingLevel INTEGER, callchainId INTEGER);
INSERT INTO StringIds VALUES (1, 'read');
INSERT INTO OSRT_API VALUES (1, 2, 27, 0x0001000010000011, 1, 0, NULL, 0);
