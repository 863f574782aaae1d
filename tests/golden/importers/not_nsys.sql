-- Some other database.
CREATE TABLE test (col1 INTEGER);
