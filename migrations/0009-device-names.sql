-- Limits the name of a device to 120 characters, also where it is made from its brand, make and model.
create or replace function device_name(given text, brand text, make text, model text, identifier text, type text)
  returns text language sql immutable parallel safe
  return coalesce(
    given,
    nullif(rtrim(left(ltrim(
      coalesce(brand, '')
      || coalesce(' ' || case when make is distinct from brand then make end, '')
      || coalesce(' ' || case when model is distinct from brand and model is distinct from make then model end, '')
    ), 120)), ''),
    identifier,
    type
  );

-- Names are stored: recompute those that are too long, and the copies on jobs, also of deleted devices.
update devices set brand = brand where length(name) > 120;
update tickets set customer_device_name = rtrim(left(customer_device_name, 120)) where length(customer_device_name) > 120;
