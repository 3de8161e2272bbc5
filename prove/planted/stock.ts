// Faults in what foreign keys change.
import type { Mutant } from './mutant.ts'

const cleared = ['test/cleared-references.test.ts']

export const stock: readonly Mutant[] = [
  {
    control: 'a record whose reference a foreign key clears has changed',
    file: 'migrations/0013-photos-stock-changes.sql',
    find: 'select touch_what_foreign_keys_clear();',
    replace: '',
    tests: cleared,
  },
  {
    control: 'every column that a foreign key clears is watched, not one of each table',
    file: 'migrations/0013-photos-stock-changes.sql',
    find: "attname), ' or ') as condition",
    replace: "attname), ' and ') as condition",
    tests: cleared,
  },
]
