// Judging: what would become of each record. Nothing is written but the judgement itself.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from '../../db/database.ts'
import { foldKey } from '../../domain/moving-in/contacts.ts'
import type { Draft } from '../../domain/moving-in/draft.ts'
import { maxRecordCharacters, maxRowsPerRecord } from '../../domain/moving-in/limits.ts'
import { profileOf } from '../../domain/moving-in/profiles.ts'
import { readDraft } from '../../domain/moving-in/read-draft.ts'
import type { Row } from '../../domain/moving-in/reader.ts'
import {
  type Candidate,
  changesOf,
  customerKeys,
  findMatch,
  keepInNotes,
  keptWords,
  matchKeys,
  takenForWords,
  type Values,
  type Verdict,
  verdictOn,
} from '../../domain/moving-in/verdict.ts'
import { newId } from '../../operations/ids.ts'
import type { Context } from '../../operations/operation.ts'
import { finishJudging } from './account.ts'
import { afterOf, type Candidates, hashKey, loadCandidates } from './candidates.ts'
import {
  type Judged,
  selectShopFacts,
  selectUnjudged,
  storeJudged,
  storeKeys,
  storeProblems,
} from './judged-records.ts'
import { planRecord, type ShopFacts } from './plan.ts'
import { dateOrdersOf } from './sort.ts'
import { addRepairs, type StagedFile, type StagedImport, updateImport } from './staged.ts'
import { findTakenNumbers, takenWords } from './taken-numbers.ts'

const prefixes = {
  customers: 'cus',
  devices: 'dev',
  services: 'svc',
  inventory: 'itm',
  jobs: 'tkt',
  quotes: 'quo',
  invoices: 'inv',
}

export async function judgeRecords(ctx: Context, staged: StagedImport): Promise<void> {
  const batch = await ctx.query(selectUnjudged(ctx, staged.id))
  if (batch.length === 0) return finishJudging(ctx, staged)
  const facts = await ctx.query(selectShopFacts(ctx))
  const index = batch[0]!.file
  const file = staged.files[index]!
  const reading = {
    ...file,
    dateOrders: dateOrdersOf(staged, index),
    decimalCommas: staged.facts.files?.[index]?.commas ?? [],
    timeZone: facts.timeZone,
  }
  const drafts = await mapInTurns(batch, ({ rows, rowCount, characters, ...record }) => {
    const draft = readDraft(
      file.source,
      reading,
      rows.map(([row, cells]): Row => ({ row, cells })),
    )
    const row = rows[0]![0]
    const tooMany = {
      row,
      column: null,
      value: null,
      reason: `${rowCount} rows with ${characters} characters are about one record`,
      fix: 'give each record a number of its own',
    }
    const isTooMany = rowCount > maxRowsPerRecord || characters > maxRecordCharacters
    return { ...record, row, draft: isTooMany ? { ...draft, problems: [tooMany] } : draft }
  })
  const customers = await loadCustomers(
    ctx,
    staged,
    file,
    drafts.map(({ draft }) => draft),
  )
  const planning = { customers, file, facts, mayName: staged.namesCustomers }
  const planned = await mapInTurns(drafts, (one) => ({ ...one, ...planOne(one.draft, one.row, planning) }))
  const judge = await createJudge(ctx, staged, file, planned)
  const judged = await mapInTurns(planned, judge)
  const repairs = planned.flatMap(({ draft, row, notes }, index) => {
    const { verdict, note = [] } = judged[index]!
    if (verdict === 'wrong') return [] // it is left out: nothing was decided about it
    return [...draft.repairs, ...[...notes, note].flat().map((reason) => ({ row, column: null, value: null, reason }))]
  })
  const count = (verdict: Verdict) => judged.filter((one) => one.verdict === verdict).length
  // Sent at once: a step holds its connection and the lock of the import, so it makes few round trips.
  await Promise.all([
    ctx.query(storeJudged(ctx, staged.id, judged)),
    ctx.query(storeKeys(ctx, staged.id, judged)),
    ctx.query(storeProblems(ctx, staged.id, file.name, judged)),
    ctx.query(
      updateImport(ctx, staged.id, {
        done: staged.done + judged.length,
        repairs: addRepairs(staged.repairs, file.name, repairs),
        created: sql`created + ${count('created')}::int`,
        filled: sql`filled + ${count('filled')}::int`,
        same: sql`same + ${count('same')}::int`,
        skipped: sql`skipped + ${count('skipped')}::int`,
        wrong: sql`wrong + ${count('wrong')}::int`,
      }),
    ),
  ])
}

/** About half a millisecond of work. */
const recordsPerTurn = 10

/** One after the other, with turns of the event loop in between: a request waits for some records, not for all. */
async function mapInTurns<T, R>(all: readonly T[], map: (one: T) => R): Promise<R[]> {
  const mapped: R[] = []
  for (const [index, one] of all.entries()) {
    if (index % recordsPerTurn === recordsPerTurn - 1) await nextTurn()
    mapped.push(map(one))
  }
  return mapped
}

type Planned = ReturnType<typeof planOne> & { readonly position: number; readonly draft: Draft; readonly row: number }

/** The customers that jobs, devices and documents of a batch could mean. */
function loadCustomers(ctx: Context, staged: StagedImport, file: StagedFile, drafts: readonly Draft[]) {
  const refs = drafts.flatMap(({ customer }) => customer ?? [])
  return loadCandidates(ctx, staged.id, {
    kind: 'customers',
    coming: refs.map(({ externalId, email, phone }) => ({ externalId, email, phone })),
    keys: refs.flatMap((ref) => customerKeys(ref, file.externalSource, false)),
    names: refs.flatMap(({ name }) => name ?? []),
  })
}

interface Planning {
  readonly customers: Candidates
  readonly file: StagedFile
  readonly facts: ShopFacts
  /** Whether customers who are there are called by their names. */
  readonly mayName: boolean
}

function planOne(draft: Draft, row: number, { customers, file, facts, mayName }: Planning) {
  const { id: customerId, problem, note } = findCustomer(draft, customers, file, mayName)
  const { plan, problems, notes } = planRecord(draft, { customerId, file, row, facts })
  // What the file does not say well is said once, in the words of its columns.
  const all = [...(draft.problems.length > 0 ? draft.problems : problems)]
  if (problem) all.push({ row, column: null, value: draft.customer?.name ?? draft.customer?.email ?? null, ...problem })
  return { plan, problems: all, notes: [...notes, note ?? []].flat() }
}

/** Several with the same name are told apart by where they live; who is still in doubt is asked about, never guessed. */
function findCustomer(
  { kind, customer }: Draft,
  customers: Candidates,
  { source, kind: fileKind, externalSource }: StagedFile,
  mayName: boolean,
) {
  if (!customer) return {}
  const { externalId } = customer
  const keys = customerKeys(customer, externalSource, profileOf(source, fileKind)?.namesCustomersBest ?? false)
  const match = findMatch(keys, {}, customers.find)
  if (match && 'one' in match) {
    const { name: firstName, email } = customer
    const taken = takenForWords({ firstName: firstName ?? '', email, externalId }, match.one.values, mayName)
    return { id: match.one.id, note: firstName && taken }
  }
  const address = foldKey(customer.address ?? '')
  const near = match?.several.filter(({ values }) => address && foldKey(String(values.address ?? '')) === address)
  if (near?.length === 1) return { id: near[0]!.id }
  if (match) {
    const some = mayName ? `: ${match.several.slice(0, 3).map(describe).join('; ')}` : ''
    const reason = `${match.several.length} customers could be meant${some}`
    return { problem: { reason, fix: 'write the email or the id of the customer into the row' } }
  }
  if (kind !== 'devices') return {}
  return {
    problem: {
      reason: 'its customer was not found',
      fix: 'bring the customers first, or write their email into the row',
    },
  }
}

const describe = ({ id, values }: Candidate) =>
  `${[values.firstName, values.lastName, values.businessName].filter(Boolean).join(' ')} (${id})`

/** Judges one record after the other: each sees what was decided about those before it. */
async function createJudge(ctx: Context, staged: StagedImport, file: StagedFile, planned: readonly Planned[]) {
  const mode = staged.options.update ?? 'fill'
  // Only jobs, devices and documents look for somebody by the name alone.
  const hasReferences = staged.files.some(
    ({ kind }) => kind !== 'customers' && kind !== 'services' && kind !== 'inventory',
  )
  const valuesOf = ({ plan, draft }: Planned): Values => ({
    ...plan.values,
    ...(draft.kind === 'devices' && { customerId: plan.customerId }),
  })
  const byKind = new Map<string, Candidates>()
  for (const kind of new Set(planned.map(({ draft }) => draft.kind))) {
    const coming = planned.filter(({ draft }) => draft.kind === kind).map(valuesOf)
    const keys = coming.flatMap((values) => matchKeys(kind, values, 'coming'))
    byKind.set(kind, await loadCandidates(ctx, staged.id, { kind, coming, keys }))
  }
  const takenNumbers = await findTakenNumbers(ctx, planned)
  return (one: Planned): Judged => {
    const { position, draft, plan, row } = one
    const { kind } = draft
    const candidates = byKind.get(kind)!
    const judged = { position, kind, targetId: null, plan: null, problems: [], keys: [] }
    if (draft.skipped !== undefined) return { ...judged, verdict: 'skipped' }
    if (one.problems.length > 0) return { ...judged, verdict: 'wrong', problems: one.problems }
    const values = valuesOf(one)
    const match = findMatch(matchKeys(kind, values, 'coming'), values, candidates.find)
    if (match && 'several' in match) {
      const reason = `${match.several.length} records that are there could be meant: ${match.several
        .slice(0, 3)
        .map(({ id }) => id)
        .join(', ')}`
      const fix = 'make one of them out of several first, or take the row out'
      return { ...judged, verdict: 'wrong', problems: [{ row, column: null, value: null, reason, fix }] }
    }
    const there = match?.one
    const taken = kind === 'customers' && there ? takenForWords(values, there.values, staged.namesCustomers) : undefined
    const changes = there && {
      ...changesOf(kind, there.values, draftOnly(values, draft, file), mode),
      ...(taken !== undefined && there.isNew && mode !== 'overwrite' && keepInNotes(values, there.values)),
    }
    const verdict = verdictOn(kind, there, changes ?? {}, mode)
    const isNumberTaken = verdict === 'created' && takenNumbers.has(plan.number ?? '')
    const note = keptWords(kind, there, mode) ?? taken ?? (isNumberTaken ? takenWords(plan.number!) : undefined)
    if (verdict === 'same' || verdict === 'skipped') return { ...judged, verdict, note, targetId: there!.id }
    const after: Candidate = there
      ? { ...there, values: { ...there.values, ...afterOf(changes!) } }
      : { id: newId(prefixes[kind]), values, isNew: true }
    candidates.add(after)
    return {
      ...judged,
      verdict,
      note,
      targetId: after.id,
      plan: there ? { values: {}, changes, customerId: plan.customerId, category: plan.category } : plan,
      keys: candidates
        .keysOf(after)
        .filter((key) => hasReferences || !key.startsWith('called '))
        .map((key) => hashKey(kind, key)),
    }
  }
}

/** What the file says, without what a new record gets by default. */
function draftOnly(values: Values, { values: said }: Draft, { externalSource }: StagedFile): Values {
  const fields = Object.entries(values).filter(([field]) => said[field] !== undefined)
  return { ...Object.fromEntries(fields), ...(said.externalId !== undefined && { externalSource }) }
}
