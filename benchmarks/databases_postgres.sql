create procedure work(kind text, commits int, together int, among bigint, size int, first bigint)
language plpgsql as $$
declare
  source text := (select content || '' from text_at_random);
  piece text;
  chosen bigint;
  number bigint := first;
begin
  for c in 1 .. commits loop
    for n in 1 .. together loop
      piece := substr(source, 1 + floor(random() * (20000 - size))::int, size);
      chosen := 1 + floor(random() * among);
      if kind = 'random' then
        update items set content = piece where id = chosen;
      elsif kind = 'counter' then
        update items set value = value + 1 where id = chosen;
      elsif kind = 'append' then
        number := number + 1;
        insert into items values (number, floor(random() * 1e9)::int, piece);
      else
        chosen := 1000000 + floor(random() * 1e15)::bigint;
        insert into items values (chosen, floor(random() * 1e9)::int, piece);
      end if;
    end loop;
    commit;
  end loop;
end $$
