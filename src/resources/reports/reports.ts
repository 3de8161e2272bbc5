// Reports: what the records come to, for people and programs. Each is an operation of its own, with the scopes of what it sums.
import { resource } from '../../operations/operation.ts'
import { entity } from '../../operations/scopes.ts'
import { jobs } from './jobs.ts'
import { moneyIn, receivables } from './money.ts'
import { quotes } from './quotes.ts'
import { stockValue } from './stock-value.ts'
import { technicians } from './technicians.ts'
import { turnaround } from './turnaround.ts'

const reportEntity = entity('reports', {
  title: 'Reports',
  description:
    'What the records come to: by day, week or month of the organisation’s time zone, or as it is now. Whoever may read the records that a report sums may read it.',
  scopeObject: 'reports',
  // They are guarded by the scopes of the records.
  actions: [],
})

export default resource({ entity: reportEntity, tables: [] }, [
  moneyIn,
  receivables,
  jobs,
  turnaround,
  technicians,
  stockValue,
  quotes,
])
