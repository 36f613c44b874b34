-- The greatest term that has led this database. A session writes only at that term: it says
--     SET tenure.term = '7';
-- with the term that it was given, and a later leader's term refuses it.
CREATE TABLE IF NOT EXISTS tenure_fence (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    term bigint NOT NULL
);

CREATE OR REPLACE FUNCTION tenure_check() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- The row is locked, so that no term is raised between the check and the end of the transaction.
    PERFORM 1 FROM tenure_fence
        WHERE term = coalesce(nullif(current_setting('tenure.term', true), ''), '-1')::bigint FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'this session does not write at the term that leads';
    END IF;
    RETURN coalesce(NEW, OLD);
END $$;

-- For each table whose writes are fenced:
--     CREATE TRIGGER fenced BEFORE INSERT OR UPDATE OR DELETE ON accounts
--         FOR EACH ROW EXECUTE FUNCTION tenure_check();

INSERT INTO tenure_fence (term) VALUES (:term)
    ON CONFLICT (only_row) DO UPDATE SET term = excluded.term WHERE tenure_fence.term < excluded.term;

-- Fails, and with it the start, where a later term has led already.
SELECT 1 / (term <= :term)::int AS leads FROM tenure_fence;
