-- Who set a person's initial password, and so could sign in as them.

-- The organisation whose portal last set their password; null: the operator. Not a foreign key on purpose: its admin knows
-- the password even after the organisation is deleted.
alter table people add column made_by_org text;

-- Backfilled from the audit log.
with deeds as (
  select people.id, log.org_id, log.at from audit_log log
    join people on lower(people.email) = lower(log.detail ->> 'email')
    where log.action = 'member.added'
  union all
  select members.person_id, log.org_id, log.at from audit_log log
    join members on members.org_id = log.org_id and members.id = log.subject
    where log.action in ('member.added', 'member.reset')
), latest as (select distinct on (id) id, org_id from deeds order by id, at desc)
update people set made_by_org = latest.org_id from latest where latest.id = people.id;
