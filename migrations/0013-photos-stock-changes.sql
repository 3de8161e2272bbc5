-- Photos of forms are stored once, apart from the answers; a line gives back to stock what it took; changes that foreign keys
-- make are seen by updatedAfter.
--
-- In this order: moving the photos takes as long as copying them, and must hold no lock on tables that others need meanwhile.

-- Photos of forms, apart from the answers, which hold a reference instead (photo:<id>): a list of forms stays small however
-- many pictures they have. The same picture is stored once in a form, so its id follows from the form and the picture.
create table form_photos (
  org_id        text not null,
  id            text not null,
  submission_id text not null,
  media_type    text not null check (media_type in ('image/png', 'image/jpeg', 'image/webp', 'image/gif')),
  bytes         bytea not null,
  sha256        bytea not null generated always as (sha256(bytes)) stored,
  created_at    timestamptz(3) not null default now(),
  primary key (org_id, id),
  constraint form_photos_once unique (org_id, submission_id, media_type, sha256),
  constraint form_photos_submission_id_parent
    foreign key (org_id, submission_id) references form_submissions on delete cascade
);
alter table form_photos alter column bytes set storage external; -- pictures are compressed already

-- Stores the pictures that answers hold as data URLs, puts references in their place, and deletes photos that no answer
-- refers to: whatever writes answers, files of earlier releases included.
create function store_photos() returns trigger language plpgsql as $$
declare
  picture record;
  digits text;
  picture_type text;
  picture_bytes bytea;
  photo_id text;
begin
  for picture in
    select place - 1 as place, value ->> 'value' as url
    from jsonb_array_elements(new.answers) with ordinality answer (value, place)
    where value ->> 'type' = 'photo'
      and value ->> 'value' ~ '^data:image/(png|jpeg|webp|gif);base64,[A-Za-z0-9+/]+={0,2}$'
  loop
    picture_type := substring(picture.url from '^data:([^;]+)');
    digits := rtrim(split_part(picture.url, ',', 2), '=');
    -- Earlier releases took any digits: what is left over at the end stands for no byte.
    digits := left(digits, length(digits) - (length(digits) % 4 = 1)::int);
    picture_bytes := decode(rpad(digits, (length(digits) + 3) / 4 * 4, '='), 'base64');
    photo_id := 'pho_' || left(encode(sha256(convert_to(new.id || picture_type, 'UTF8') || picture_bytes), 'hex'), 26);
    insert into form_photos (org_id, id, submission_id, media_type, bytes)
      values (new.org_id, photo_id, new.id, picture_type, picture_bytes) on conflict do nothing;
    new.answers := jsonb_set(new.answers, array[picture.place::text, 'value'], to_jsonb('photo:' || photo_id));
  end loop;
  delete from form_photos where org_id = new.org_id and submission_id = new.id
    and not new.answers @> jsonb_build_array(jsonb_build_object('type', 'photo', 'value', 'photo:' || id));
  return new;
end $$;
create trigger photos_stored before update of answers on form_submissions
  for each row execute function store_photos();

-- A photo refers to its form: one that is inserted with its answers exists only afterwards.
create function store_photos_of_new_form() returns trigger language plpgsql as $$
begin
  update form_submissions set answers = answers where org_id = new.org_id and id = new.id;
  return null;
end $$;
create trigger photos_of_new_form_stored after insert on form_submissions
  for each row when (new.answers @? '$[*] ? (@.type == "photo" && @.value starts with "data:")')
  execute function store_photos_of_new_form();

update form_submissions set answers = answers
where answers @? '$[*] ? (@.type == "photo" && @.value starts with "data:")';

-- Whether the quantity of a line was taken from stock: the item was tracked when the line began to use it. That much goes
-- back, whatever the item says by then. Null is decided by the item; an import says what it was.
alter table inventory_lines add column is_from_stock boolean not null default true;
update inventory_lines line set is_from_stock = false from inventory item
where item.org_id = line.org_id and item.id = line.inventory_item_id and not item.track_stock;
alter table inventory_lines alter column is_from_stock drop default;

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
