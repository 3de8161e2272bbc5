// Faults in stock, and in what the deletion of another record changes.
import type { Mutant } from './mutant.ts'

const cleared = ['test/cleared-references.test.ts']
const parts = ['src/resources/tickets/stock.test.ts']

export const stock: readonly Mutant[] = [
  {
    control: 'a record whose reference is cleared has changed',
    file: 'migrations/0014-many-machines.sql',
    find: "select ', updated_at = now()' into moment",
    replace: "select '' into moment",
    tests: cleared,
  },
  {
    control: 'an item that is tracked later gets nothing back that it did not give',
    file: 'migrations/0013-photos-stock-changes.sql',
    find: 'where is_from_stock group by 1, 2',
    replace: 'where inventory_item_id is not null group by 1, 2',
    tests: parts,
  },
  {
    control: 'what was taken goes back to an item that is tracked no longer',
    file: 'migrations/0013-photos-stock-changes.sql',
    find: 'where org_id = moved.org_id and id = moved.id;',
    replace: 'where org_id = moved.org_id and id = moved.id and track_stock;',
    tests: parts,
  },
  {
    control: 'a line that gets another item is judged by that one',
    file: 'migrations/0013-photos-stock-changes.sql',
    find: 'for each row when (old.inventory_item_id is distinct from new.inventory_item_id) execute function decide_stock();',
    replace: 'for each row when (false) execute function decide_stock();',
    tests: parts,
  },
  {
    control: 'an import keeps what lines took from stock',
    file: 'migrations/0013-photos-stock-changes.sql',
    find: 'for each row when (new.is_from_stock is null) execute function decide_stock();',
    replace: 'for each row execute function decide_stock();',
    tests: ['src/transfer/earlier-files.test.ts'],
  },
]
