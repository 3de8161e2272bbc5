-- Changes that foreign keys make are seen by updatedAfter; a line gives back to stock what it took.

-- A record whose reference is cleared because the other record was deleted has changed. The columns are those of the
-- foreign keys themselves: a later migration that adds one with ON DELETE SET NULL calls this again. A trigger looks at a
-- row only if the statement names such a column, and runs its function only if one is cleared.
create function touch_cleared() returns trigger language plpgsql as $$
begin
  new.updated_at := now();
  return new;
end $$;
create function touch_what_foreign_keys_clear() returns void language plpgsql as $$
declare
  cleared record;
begin
  for cleared in
    select key.conrelid::regclass as owner, string_agg(distinct format('%I', attname), ', ') as columns,
      string_agg(distinct format('old.%1$I is not null and new.%1$I is null', attname), ' or ') as condition
    from pg_constraint key
    join pg_attribute on attrelid = key.conrelid and attnum = any(coalesce(key.confdelsetcols, key.conkey))
    where key.contype = 'f' and key.confdeltype = 'n' and key.connamespace = current_schema()::regnamespace
      and exists (select from pg_attribute own where own.attrelid = key.conrelid and own.attname = 'updated_at')
    group by 1
  loop
    execute format('create or replace trigger touch_cleared before update of %s on %s
      for each row when (%s) execute function touch_cleared()', cleared.columns, cleared.owner, cleared.condition);
  end loop;
end $$;
select touch_what_foreign_keys_clear();

-- Whether the quantity of a line was taken from stock: the item was tracked when the line began to use it. That much goes
-- back, whatever the item says by then. Null is decided by the item; an import says what it was.
alter table inventory_lines add column is_from_stock boolean;
update inventory_lines line set is_from_stock = exists (
  select from inventory item where item.org_id = line.org_id and item.id = line.inventory_item_id and item.track_stock);
alter table inventory_lines alter column is_from_stock set not null;

create function decide_stock() returns trigger language plpgsql as $$
begin
  new.is_from_stock := exists (
    select from inventory where org_id = new.org_id and id = new.inventory_item_id and track_stock);
  return new;
end $$;
create trigger stock_decided before insert on inventory_lines
  for each row when (new.is_from_stock is null) execute function decide_stock();
create trigger stock_decided_again before update of inventory_item_id on inventory_lines
  for each row when (old.inventory_item_id is distinct from new.inventory_item_id) execute function decide_stock();

create or replace function move_stock() returns trigger language plpgsql as $$
declare
  moved record;
begin
  for moved in execute format(
    'select org_id, inventory_item_id as id, sum(quantity) as quantity from (%s) change
     where is_from_stock group by 1, 2 having sum(quantity) <> 0 order by 1, 2',
    case tg_op
      when 'INSERT' then 'select org_id, inventory_item_id, is_from_stock, -quantity as quantity from added'
      when 'DELETE' then 'select org_id, inventory_item_id, is_from_stock, quantity from gone'
      else 'select org_id, inventory_item_id, is_from_stock, quantity from gone
            union all select org_id, inventory_item_id, is_from_stock, -quantity from added'
    end)
  loop
    update inventory set quantity_on_hand = quantity_on_hand + moved.quantity, updated_at = now()
    where org_id = moved.org_id and id = moved.id;
  end loop;
  return null;
end $$;
