// What a file is: which row holds the names of its columns, which system wrote it, and what each column means.
import { squeeze, tidyCell } from './cells.ts'
import { isMeaning, type Kind, kinds, meaningOf, meanings, type Source } from './kinds.ts'
import { isPaymentList, paymentListWords } from './payment-lists.ts'
import type { Profile } from './profile.ts'
import { profiles } from './profiles.ts'

/** A file that cannot be brought as it is: the sentence says what is wrong and what to do. */
export class FileRefused extends Error {}

export interface Recognised {
  readonly source: Source
  readonly kind: Kind
  /** The row that holds the names, counted from 0. */
  readonly headerIndex: number
  readonly columns: readonly string[]
  /** What each column means; null where nothing is taken from it. */
  readonly targets: readonly (string | null)[]
}

export interface Wishes {
  readonly source?: string | undefined
  readonly kind?: Kind | undefined
  /** Columns by their names, and what they mean; null leaves one out. */
  readonly map?: Readonly<Record<string, string | null>> | undefined
}

/** How many rows are looked at for the names of columns: reports have titles above them. */
export const headerSearchRows = 25

const byName = new Map(
  kinds.map((kind) => [
    kind,
    new Map(
      Object.entries(meanings[kind]).flatMap(([target, { names }]) =>
        [target, ...names].map((name) => [squeeze(name), target] as const),
      ),
    ),
  ]),
)

/** A name of a column; what is longer is cut before anything looks at it. */
const longestName = 500

export function recognise(whole: readonly (readonly string[])[], wishes: Wishes = {}): Recognised {
  const found = findMeanings(whole, wishes)
  // Whoever says what it is gets that.
  if (wishes.kind === undefined && isPaymentList(found, wishes.map ?? {})) throw new FileRefused(paymentListWords)
  return found
}

function findMeanings(whole: readonly (readonly string[])[], wishes: Wishes): Recognised {
  const rows = whole.map((row) => row.map((cell) => cell.slice(0, longestName)))
  const known = findProfile(rows, wishes)
  if (known) return complete(known.profile.source, known.profile.kind, known.headerIndex, rows, known.profile, wishes)
  const { headerIndex, kind } = findByNames(rows, wishes)
  const columns = rows[headerIndex] ?? []
  const isOurs = columns.filter((name) => isMeaning(kind, name.trim())).length >= Math.max(2, columns.length / 2)
  return complete(isOurs ? 'jobwright' : 'generic', kind, headerIndex, rows, undefined, wishes)
}

/** Names as they are compared, made once. Of two that are one name then, the first counts. */
const squeezedProfiles = new Map(
  profiles.map((profile) => [
    profile,
    {
      fingerprints: profile.fingerprints.map((all) => all.map(squeeze)),
      columns: new Map(
        Object.entries(profile.columns)
          .map(([name, target]) => [squeeze(name), target] as const)
          .reverse(),
      ),
    },
  ]),
)

function findProfile(rows: readonly (readonly string[])[], { kind, source }: Wishes) {
  for (const [headerIndex, row] of rows.slice(0, headerSearchRows).entries()) {
    const names = new Set(row.map(squeeze))
    const profile = profiles.find(
      (one) =>
        (kind === undefined || kind === one.kind) &&
        (source === undefined || source === one.source) &&
        squeezedProfiles.get(one)!.fingerprints.some((all) => all.every((name) => names.has(name))),
    )
    if (profile) return { profile, headerIndex }
  }
  return undefined
}

/** The first row with two names that are known, of the kind that knows most of them. */
function findByNames(rows: readonly (readonly string[])[], { kind, map = {} }: Wishes) {
  const chosen = new Set(Object.keys(map).map(squeeze))
  for (const [headerIndex, row] of rows.slice(0, headerSearchRows).entries()) {
    const names = row.map(squeeze).filter(Boolean)
    const possible = (kind ? [kind] : byEvidence).filter((one) => kind || isPossible(one, names))
    const found = possible.find(
      (one) => names.filter((name) => chosen.has(name) || byName.get(one)!.has(name)).length >= 2,
    )
    if (found) return { headerIndex, kind: found }
  }
  const header = rows.find((row) => row.filter(Boolean).length > 1) ?? rows[0] ?? []
  if (kind && header.some((name) => byName.get(kind)!.has(squeeze(name)) || chosen.has(squeeze(name))))
    return { headerIndex: rows.indexOf(header), kind }
  throw new FileRefused(
    `No row of the first ${headerSearchRows} looks like the names of columns that are known (found: ${header.slice(0, 8).join(', ')}); say what it holds (kind) and what its columns mean (map), or call them by names that are known, such as Name and Email`,
  )
}

/** What tells the kinds apart, the more particular ones first. */
const byEvidence = ['invoices', 'quotes', 'jobs', 'devices', 'inventory', 'services', 'customers'] as const
const evidence: Readonly<Record<Kind, readonly (readonly string[])[]>> = {
  invoices: [
    [
      ...['invoicenumber', 'invoiceno', 'invoiceid', 'invoice', 'invoicedate', 'rechnungsnummer', 'rechnungsnr'],
      ...['rechnung', 'rechnungsdatum', 'numérodefacture', 'numérofacture', 'nfacture', 'facture', 'datedefacture'],
    ],
  ],
  quotes: [
    [
      ...['quotenumber', 'estimatenumber', 'quote', 'estimate', 'quotedate', 'estimatedate', 'angebotsnummer'],
      ...['angebotsnr', 'angebot', 'angebotsdatum', 'numérodedevis'],
    ],
  ],
  jobs: [
    ['jobnumber', 'ticketnumber', 'workordernumber', 'jobstatus', 'servicerequired', 'jobdescription', 'jobtitle'],
  ],
  devices: [['serialnumber', 'imei', 'assetserial', 'identifier', 'assettype', 'devicetype', 'vin']],
  inventory: [
    ['sku', 'barcode', 'upc', 'quantityonhand', 'onhandqty', 'quantityinstock', 'stock', 'partnumber', 'reorderlevel'],
  ],
  services: [
    ['name', 'servicename', 'item', 'itemname', 'productname', 'title'],
    ['price', 'rate', 'salesprice', 'unitprice', 'cost'],
  ],
  customers: [
    [
      ...['firstname', 'lastname', 'name', 'fullname', 'email', 'emailaddress', 'phone', 'company', 'companyname'],
      ...['customername', 'clientname', 'businessname', 'givenname', 'displayname'],
      ...['vorname', 'nachname', 'kundenname', 'firma', 'telefon', 'prénom'],
    ],
  ],
}
const isPossible = (kind: Kind, names: readonly string[]): boolean =>
  evidence[kind].every((alternatives) => alternatives.some((name) => names.includes(name))) ||
  (kind === 'invoices' && isShapedLikeInvoices(names) && !isPossible('quotes', names) && !isPossible('jobs', names))

/** A list that calls its numbers just that: whose it is, what it comes to, and what or when somebody has yet to pay. */
function isShapedLikeInvoices(names: readonly string[]): boolean {
  const targets = new Set(names.map((name) => byName.get('invoices')!.get(name)))
  const hasOne = (...some: string[]) => some.some((target) => targets.has(target))
  // A list of customers may have numbers, balances and the days they came, too.
  const isOwed = hasOne('total') ? hasOne('balance', 'amountPaid', 'dueAt') : hasOne('balance') && hasOne('dueAt')
  const isSomebodys = hasOne('customerName', 'customerExternalId', 'customerLastName')
  return hasOne('number') && isSomebodys && isOwed && hasOne('issuedAt', 'dueAt')
}

function complete(
  source: Source,
  kind: Kind,
  headerIndex: number,
  rows: readonly (readonly string[])[],
  profile: Profile | undefined,
  { map = {} }: Wishes,
): Recognised {
  const columns = uniqueNames((rows[headerIndex] ?? []).map((name) => tidyCell(name).value))
  const wanted = new Map(Object.entries(map).map(([name, target]) => [squeeze(name), target]))
  const names = new Set(columns.map(squeeze))
  for (const [name, target] of Object.entries(map)) {
    if (!names.has(squeeze(name))) throw new FileRefused(`The map names a column "${name}" that the file does not have`)
    if (target !== null && !meaningOf(kind, target))
      throw new FileRefused(
        `The map gives "${name}" the meaning "${target}", which ${kind} do not have; they have ${Object.keys(meanings[kind]).join(', ')}`,
      )
  }
  const own = new Set(columns.flatMap((column) => (profile && profileTarget(profile, column)) ?? []))
  const taken = new Set<string>()
  const targets = columns.map((column) => {
    const name = squeeze(column)
    const found = profile ? profileTarget(profile, column) : undefined
    const target = wanted.has(name)
      ? wanted.get(name)!
      : (found ?? nameTarget(kind, name, names, profile && own) ?? null)
    if (target === null || meaningOf(kind, target)!.isMany) return target
    if (taken.has(target)) {
      // Two columns for one value: whoever asked for it must decide; of what we found ourselves the first one counts.
      if (wanted.has(name))
        throw new FileRefused(`Two columns are to be ${target}, "${column}" is the second; leave one out with null`)
      return null
    }
    taken.add(target)
    return target
  })
  return { source, kind, headerIndex, columns, targets }
}

/**
 * A column that the profile does not know may still have a name that everybody does, for what the file has no column of
 * the profile's own: those are given.
 */
function nameTarget(
  kind: Kind,
  name: string,
  names: ReadonlySet<string>,
  own: ReadonlySet<string> | undefined,
): string | undefined {
  const known = byName.get(kind)!.get(name)
  // Beside its amount a column that is called after the tax alone is the rate.
  const isRate = known === 'lineTax' && amountWords.some((word) => names.has(`${name}${word}`))
  const target = isRate ? 'taxRate' : known
  const isTaken = own && (target === 'externalId' || own.has(target ?? ''))
  return isTaken && target !== 'notes' ? undefined : target
}
const amountWords = ['amount', 'betrag']

function profileTarget(profile: Profile, column: string): string | undefined {
  const { patterns = [] } = profile
  const exact = squeezedProfiles.get(profile)!.columns.get(squeeze(column))
  if (exact) return exact
  for (const [pattern, target] of patterns) {
    const found = pattern.exec(column)
    if (found) return target.replace('$1', found[1] ?? '').replace(/#1$/, '')
  }
  return undefined
}

/** A column without a name, or with one that was there before, is still a column. */
function uniqueNames(names: readonly string[]): string[] {
  const seen = new Map<string, number>()
  return names.map((name, index) => {
    const base = name === '' ? `Column ${index + 1}` : name
    const count = (seen.get(base) ?? 0) + 1
    seen.set(base, count)
    return count === 1 ? base : `${base} (${count})`
  })
}

/** Columns of which nothing is taken: they are named to whoever brings the file. */
export const unusedColumns = ({ columns, targets }: Pick<Recognised, 'columns' | 'targets'>): string[] =>
  columns.filter((_, index) => targets[index] === null)
