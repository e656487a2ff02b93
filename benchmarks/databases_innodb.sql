create procedure work(kind text, commits int, together int, among bigint, size int)
begin
  declare c int default 0;
  declare n int;
  declare piece text;
  declare chosen bigint;
  declare number bigint;
  set number = (select coalesce(max(id), 0) from items);
  while c < commits do
    set n = 0;
    start transaction;
    while n < together do
      set piece = substr(@source, 1 + floor(rand() * (20000 - size)), size);
      set chosen = 1 + floor(rand() * among);
      if kind = 'random' then
        update items set content = piece where id = chosen;
      elseif kind = 'counter' then
        update items set value = value + 1 where id = chosen;
      elseif kind = 'append' then
        set number = number + 1;
        insert into items values (number, floor(rand() * 1e9), piece);
      else
        set chosen = 1000000 + floor(rand() * 1e8) * 10000000 + floor(rand() * 1e7);
        insert into items values (chosen, floor(rand() * 1e9), piece);
      end if;
      set n = n + 1;
    end while;
    commit;
    set c = c + 1;
  end while;
end//
