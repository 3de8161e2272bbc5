// The page of a report: which one, of which period, its plot and its figures.
import { type Grouping, groupings } from '../domain/report-periods.ts'
import { addDays, toMoment } from '../domain/wall-clock.ts'
import { type Html, html } from '../http/html.ts'
import { count } from './formatting.ts'
import { pageHead, type View } from './frame.ts'
import { icon } from './icons.ts'
import { emptyNote } from './marks.ts'
import { barPlot, columnPlot } from './plots.ts'
import { type Cells, groupLabel, type Report, type ReportKind, reportKinds } from './report-kinds.ts'
import type { DeskRequest } from './router.ts'

export interface ReportPage {
  readonly kind: ReportKind
  readonly groupBy: Grouping
  readonly from: string | undefined
  readonly to: string | undefined
  readonly report?: Report
  /** Why there is none. */
  readonly wrong?: string
}

/** Parameters of an address; what is undefined is left out. */
type Asked = Readonly<Record<string, string | undefined>>

const addressOf = (path: string, asked: Asked): string => {
  const given = Object.entries(asked).filter(([, value]) => value !== undefined) as [string, string][]
  return `${path}?${new URLSearchParams(given)}`
}

/** Spans that people ask for again and again; years by month, months by week. */
function presets(today: string): readonly { words: string; from: string; to: string; groupBy: Grouping }[] {
  const month = `${today.slice(0, 7)}-01`
  const lastOfPrevious = addDays(month, -1)
  const year = Number(today.slice(0, 4))
  return [
    { words: 'This month', from: month, to: today, groupBy: 'week' },
    { words: 'Last month', from: `${lastOfPrevious.slice(0, 7)}-01`, to: lastOfPrevious, groupBy: 'week' },
    { words: 'This year', from: `${year}-01-01`, to: today, groupBy: 'month' },
    { words: 'Last year', from: `${year - 1}-01-01`, to: `${year - 1}-12-31`, groupBy: 'month' },
  ]
}

function periodForm({ href, clock }: DeskRequest, page: ReportPage): Html | false {
  const { kind, groupBy, report } = page
  if (!kind.hasPeriod) return false
  const [from, to] = [page.from ?? report?.from ?? '', page.to ?? report?.to ?? '']
  const link = (preset: ReturnType<typeof presets>[number]) => {
    const isHere = preset.from === from && preset.to === to
    const address = addressOf('/reports', {
      report: kind.name,
      from: preset.from,
      to: preset.to,
      ...(kind.isGrouped && { groupBy: preset.groupBy }),
    })
    return html`<a href="${href(address)}"${isHere && html` aria-current="true"`}>${preset.words}</a>`
  }
  return html`<div class="head wrap report-head"><nav class="seg" aria-label="Periods">${presets(clock.today).map(link)}</nav>
<form class="acts wrap" action="${href('/reports')}"><input type="hidden" name="report" value="${kind.name}"><input type="date" name="from" value="${from}" aria-label="From"><span class="soft">to</span><input type="date" name="to" value="${to}" aria-label="To, which counts too">${kind.isGrouped && html`<select name="groupBy" aria-label="Grouped by">${groupings.map((one) => html`<option value="${one}"${one === groupBy && html` selected`}>By ${one}</option>`)}</select>`}<button class="btn">Show</button></form></div>`
}

/** Sums of different currencies are plotted apart. */
function plots({ kind, groupBy }: ReportPage, { rows, currency }: Report, shown: Shown): Html[] {
  const columns = kind.plotted.map((field) => kind.columns.find((column) => column.field === field)!)
  return [...Map.groupBy(rows, (row) => (row.currency ?? currency) as string | undefined)].map(([unit, some]) => {
    const plot = {
      title: `${kind.words}${kind.isGrouped ? `, by ${groupBy}` : ''}${shown.isMixed && unit ? `, in ${unit}` : ''}`,
      series: columns.map(({ words }) => words),
      groups: some.map((row) => ({
        label: shown.label(row),
        values: columns.map(({ field }) => row[field] as number | null),
      })),
    }
    const { write, scale = write } = columns[0]!
    const currencyHere = unit ?? shown.shopCurrency
    return kind.isGrouped
      ? columnPlot({ ...plot, words: (value) => scale(value, currencyHere) })
      : barPlot({ ...plot, words: (value) => write(value, currencyHere) })
  })
}

interface Shown {
  readonly label: (row: Cells) => string
  readonly shopCurrency: string
  readonly isMixed: boolean
}

function figures({ kind }: ReportPage, { rows, totals, currency }: Report, shown: Shown): Html {
  const { columns } = kind
  const cells = (row: Cells) =>
    columns.map(
      ({ field, words, write }) =>
        html`<td class="r num" data-label="${words}">${write(row[field], (row.currency ?? currency ?? shown.shopCurrency) as string)}</td>`,
    )
  const unit = (row: Cells) => shown.isMixed && html` <span class="soft">${row.currency as string}</span>`
  return html`<table class="figures-table"><thead><tr><th scope="col">${kind.heading}</th>${columns.map(({ words }) => html`<th class="r" scope="col">${words}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr><th scope="row">${shown.label(row)}${unit(row)}</th>${cells(row)}</tr>`)}</tbody>
<tfoot>${totals.map((total) => html`<tr><th scope="row">Altogether${unit(total)}</th>${cells(total)}</tr>`)}</tfoot></table>`
}

export function reportView(request: DeskRequest, page: ReportPage): View {
  const { href, clock, currency, timeZone } = request
  const { kind, groupBy, report, wrong } = page
  const shortDay = (day: string) => clock.shortDay(toMoment(day, '12:00', timeZone))
  const period = kind.hasPeriod ? { from: page.from ?? report?.from, to: page.to ?? report?.to } : {}
  const tab = ({ name, words, hasPeriod, isGrouped }: ReportKind) => {
    const kept = hasPeriod ? { from: page.from, to: page.to, ...(isGrouped && { groupBy }) } : {}
    return html`<a href="${href(addressOf('/reports', { report: name, ...kept }))}"${name === kind.name && html` aria-current="true"`}>${words}</a>`
  }
  const csv = addressOf('/reports/csv', { report: kind.name, ...period, ...(kind.isGrouped && { groupBy }) })
  const shown: Shown | undefined = report && {
    label: (row) => kind.labelOf(row, (start) => groupLabel(groupBy, start, shortDay)),
    shopCurrency: currency,
    isMixed: new Set(report.rows.map((row) => row.currency)).size > 1,
  }
  const span =
    report?.from && report.to
      ? `${shortDay(report.from)} – ${shortDay(report.to)}`
      : `As of ${shortDay(report?.on ?? clock.today)}`
  return {
    title: `${kind.words} – reports`,
    place: 'reports',
    ...(wrong !== undefined && { status: 400 }),
    body: html`${pageHead(html`${kind.words}<small class="under">${span}</small>`, { actions: report && html`<a class="btn" href="${href(csv)}" data-turbo="false">CSV</a>` })}
<nav class="seg report-tabs" aria-label="Reports">${reportKinds.map(tab)}</nav>
${periodForm(request, page)}
${wrong !== undefined && html`<p class="note danger" role="alert">${icon('warning')}<span>${inWords(wrong)}</span></p>`}
${
  report &&
  shown &&
  html`<p class="soft report-meaning">${kind.meaning}${rowCount(report)}</p>
<section class="card report" aria-label="${kind.words}">${report.rows.length > 0 ? html`${plots(page, report, shown)}<div class="scroll" tabindex="0" role="region" aria-label="Figures">${figures(page, report, shown)}</div>` : emptyNote('Nothing to show', 'Choose another period, or come back when there is something.')}</section>`
}`,
  }
}

const rowCount = ({ rows }: Report): string => (rows.length > 60 ? ` ${count(rows.length, 'row')}.` : '')

const parameterWords: Readonly<Record<string, string>> = {
  from: 'The first day',
  to: 'The last day',
  groupBy: 'The grouping',
}

/** `from must not be after to` as the page calls them. */
const inWords = (message: string): string =>
  `${message
    .replace(/^(from|to|groupBy)\b/, (name) => parameterWords[name]!)
    .replace(/\bafter to\b/, 'after the last')
    .replace(/\bbefore to\b/, 'before the last')}.`
