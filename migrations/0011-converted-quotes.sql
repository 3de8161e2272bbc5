-- A quote is invoiced as long as any invoice of it exists, and leads to the newest; then it is what it was before. A rule of
-- the database, so that no way of deleting an invoice forgets it.

create index invoices_by_quote on invoices (org_id, quote_id, created_at desc, id desc) where quote_id is not null;

create function release_quotes() returns trigger language plpgsql as $$
begin
  -- Locked first: a conversion under way is waited for, and the next statement sees the invoice it made.
  perform from quotes where (org_id, id) in (select org_id, quote_id from gone where quote_id is not null)
    order by org_id, id for update;
  update quotes set invoice_id = newest.id, updated_at = now(),
    status = case when newest.id is not null then 'invoiced' when accepted_at is not null then 'accepted'
      when sent_at is not null then 'sent' else 'draft' end
  from (select distinct org_id, quote_id from gone where quote_id is not null) released
  left join lateral (
    select id from invoices where invoices.org_id = released.org_id and invoices.quote_id = released.quote_id
    order by created_at desc, id desc limit 1
  ) newest on true
  where quotes.org_id = released.org_id and quotes.id = released.quote_id and quotes.invoice_id is distinct from newest.id;
  return null;
end $$;
create trigger release_quotes after delete on invoices referencing old table as gone
  for each statement execute function release_quotes();

-- Until now the deletion of the last invoice of several made a quote convertible while the others existed.
update quotes set status = 'invoiced', invoice_id = newest.id, updated_at = now()
from (
  select distinct on (org_id, quote_id) org_id, quote_id, id from invoices where quote_id is not null
  order by org_id, quote_id, created_at desc, id desc
) newest
where quotes.org_id = newest.org_id and quotes.id = newest.quote_id and quotes.status <> 'invoiced';
