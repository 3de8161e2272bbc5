// The pages of moving in.
import { kinds, meanings } from '../domain/moving-in/kinds.ts'
import { type Html, html } from '../http/html.ts'
import { count } from './formatting.ts'
import { pageHead, type View } from './frame.ts'
import { chip, emptyNote } from './marks.ts'
import type { Refusal } from './perform.ts'
import type { DeskRequest } from './router.ts'

export interface ShownImport {
  readonly id: string
  readonly status: 'open' | 'judging' | 'asking' | 'judged' | 'writing' | 'written' | 'undone' | 'failed'
  readonly isDryRun: boolean
  readonly files: readonly {
    readonly name: string
    readonly source: string
    readonly kind: (typeof kinds)[number]
    readonly rows: number
    readonly columns: readonly string[]
    readonly map: Readonly<Record<string, string | null>>
    readonly unusedColumns: readonly string[]
  }[]
  readonly progress: { readonly done: number; readonly total: number }
  readonly records: number
  readonly created: number
  readonly filled: number
  readonly same: number
  readonly skipped: number
  readonly wrong: number
  readonly questions: readonly { readonly file: string; readonly column: string; readonly samples: readonly string[] }[]
  readonly repairs: readonly {
    readonly column: string | null
    readonly value: string | null
    readonly reason: string
    readonly count: number
  }[]
  readonly problems: readonly {
    readonly file: string
    readonly row: number
    readonly column: string | null
    readonly value: string | null
    readonly reason: string
    readonly fix: string
  }[]
  /** The places of those that wrong rows are in. */
  readonly filesWithWrong: readonly number[]
  readonly undo: {
    readonly reversed: number
    readonly kept: number
    readonly failed: number
    readonly keptRecords: readonly { id: string; reason: string }[]
  } | null
  readonly failure: string | null
  readonly createdAt: string
}

/** As the list shows it. */
export interface ListedImport extends Pick<ShownImport, 'id' | 'status' | 'isDryRun' | 'created' | 'wrong'> {
  readonly names: string
  readonly createdAt: Date
}

const statusWords: Readonly<Record<ShownImport['status'], string>> = {
  open: 'Not looked at yet',
  judging: 'Being looked at',
  asking: 'There is a question',
  judged: 'Ready to be brought',
  writing: 'Being brought',
  written: 'Brought',
  undone: 'Taken back',
  failed: 'Failed',
}

/** What is tried out is not written. */
const wordsOf = ({ status, isDryRun }: Pick<ShownImport, 'status' | 'isDryRun'>): string =>
  status === 'judged' && isDryRun ? 'A trial' : statusWords[status]

export function importListView(
  { href, csrfField, clock }: DeskRequest,
  imports: readonly ListedImport[],
  problem?: string,
): View {
  const row = (one: ListedImport) =>
    html`<tr class="go"><td class="cut"><a class="title" href="${href(`/import/${one.id}`)}">${one.names}</a></td><td>${chip(wordsOf(one))}</td><td class="num r">${one.created}</td><td class="num r">${one.wrong}</td><td class="soft opt">${clock.shortDay(one.createdAt)}</td></tr>`
  return {
    title: 'Moving in',
    place: 'import',
    status: problem ? 400 : 200,
    scripts: ['import'],
    body: html`${pageHead('Moving in')}
${problem && html`<p class="note danger" role="alert">${problem}</p>`}
<div class="stack narrow long-words"><form class="card pad stack" method="post" action="${href('/import')}" enctype="multipart/form-data" data-turbo="false">${csrfField}
<p>Choose the files that your old system exported: customers, devices, price list, stock, jobs, quotes, invoices. Jobber, Housecall Pro, ServiceM8, RepairDesk, Square, QuickBooks, Xero, Invoice Ninja, Google and Outlook contacts are recognised; other lists by the names of their columns. Nothing is written until you have seen what would happen.</p>
<desk-drop class="drop"><label class="field"><span>Files (csv, tsv, xlsx or vcf, 50 MB together)</span><input type="file" name="files" multiple required accept=".csv,.tsv,.txt,.xlsx,.vcf"></label><p class="soft small" data-hint hidden>Or drop them anywhere on this page, also one after the other.</p><ul class="small" data-chosen aria-live="polite"></ul></desk-drop>
<label class="field"><span>What they hold</span><select name="kind"><option value="">Find out by the columns</option>${kinds.map((kind) => html`<option value="${kind}">${capital(kind)}</option>`)}</select></label>
<label class="field"><span>Records that are here already</span><select name="update"><option value="fill">Fill in what they lack</option><option value="none">Leave them alone</option><option value="overwrite">Write over them</option></select></label>
<div><button class="btn main">Look at the files</button></div></form>
<section class="card" aria-label="Earlier imports"><header><h2>Earlier</h2></header>${
      imports.length === 0
        ? emptyNote('Nothing brought yet', 'What you bring can be taken back for 30 days.')
        : html`<table class="fold"><thead><tr><th class="c4" scope="col">Files</th><th scope="col">State</th><th class="r" scope="col">Created</th><th class="r" scope="col">Wrong</th><th class="opt" scope="col">When</th></tr></thead><tbody>${imports.map(row)}</tbody></table>`
    }</section></div>`,
  }
}

const capital = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)

export function importView(request: DeskRequest, one: ShownImport, refusal?: Refusal): View {
  const { href } = request
  const isWorking = one.status === 'judging' || one.status === 'writing' || isUndoing(one)
  return {
    title: 'Moving in',
    place: 'import',
    ...(refusal && { status: refusal.status }),
    scripts: ['import'],
    body: html`${pageHead(isUndoing(one) ? 'Being taken back' : wordsOf(one), { crumbs: [[href('/import'), 'Moving in']] })}
<div class="stack narrow long-words">
${refusal && html`<p class="note danger" role="alert">${refusal.message}</p>`}
${one.failure && html`<p class="note danger" role="alert">${one.failure}</p>`}
${isWorking && html`<section class="card pad stack" data-watch><progress max="${Math.max(1, one.progress.total)}" value="${one.progress.done}">${one.progress.done} of ${one.progress.total}</progress><p>${one.progress.done} of ${one.progress.total}. It goes on by itself, also if you close this page.</p><div><a class="btn" href="${href(`/import/${one.id}`)}">Look again</a></div></section>`}
${one.questions.length > 0 && questionForm(request, one)}
${['judged', 'written', 'undone', 'failed'].includes(one.status) && outcome(request, one)}
${one.undo && undoNote(one.undo)}
${one.status !== 'open' && one.files.map((file) => fileCard(request, one, file))}
${one.problems.length > 0 && problemCard(one)}
${one.repairs.length > 0 && repairCard(one)}</div>`,
  }
}

/** What is written stays so until the last record was looked at again. */
const isUndoing = ({ status, progress: { done, total } }: ShownImport): boolean => status === 'written' && done < total

const act = ({ href, csrfField }: DeskRequest, one: ShownImport, path: string, words: string, kind = ''): Html =>
  html`<form method="post" action="${href(`/import/${one.id}/${path}`)}">${csrfField}<button class="btn ${kind}">${words}</button></form>`

function outcome(request: DeskRequest, one: ShownImport): Html {
  const line = (words: string, value: number) => html`<tr><td>${words}</td><td class="num r">${value}</td></tr>`
  const willWrite = one.created + one.filled
  const mayWrite = one.status === 'judged' && !one.isDryRun
  return html`<section class="card"><header><h2>${one.status === 'judged' ? 'What would happen' : 'What happened'}</h2><span class="n">${count(one.records, 'record')}</span></header>
<table><thead class="sr"><tr><th scope="col">What</th><th scope="col">How many</th></tr></thead><tbody>${line('Created', one.created)}${line('Here already, filled in', one.filled)}${line('Here already, the same', one.same)}${line('Skipped', one.skipped)}${line('Wrong, left out', one.wrong)}</tbody></table>
${one.isDryRun && html`<p class="pad soft">This was a trial: to have it written, bring the files again.</p>`}
<div class="row wrap pad">${mayWrite && willWrite > 0 && act(request, one, 'write', `Bring ${count(willWrite, 'record')}`, 'main')}${mayWrite && act(request, one, 'judge', 'Look at it again')}${(one.status === 'written' || one.status === 'failed') && !isUndoing(one) && act(request, one, 'undo', 'Take it back')}${one.filesWithWrong.map((place) => html`<a class="btn" href="${request.href(`/import/${one.id}/problems.csv?file=${place}`)}" data-turbo="false">The wrong rows${one.filesWithWrong.length > 1 && ` of ${one.files[place]!.name}`} as a file</a>`)}</div></section>`
}

const questionForm = ({ href, csrfField }: DeskRequest, { id, questions }: ShownImport): Html =>
  html`<form class="card pad stack" method="post" action="${href(`/import/${id}/judge`)}">${csrfField}<h2>Which comes first, the day or the month?</h2>
${questions.map(({ file, column, samples }) => html`<p><strong>${column}</strong> of ${file}: ${samples.join(', ')}</p>`)}
<div class="row"><button class="btn" name="dateOrder" value="dmy">The day, as 31/12</button><button class="btn" name="dateOrder" value="mdy">The month, as 12/31</button></div></form>`

const undoNote = ({ reversed, kept, failed, keptRecords }: NonNullable<ShownImport['undo']>): Html =>
  html`<section class="card"><header><h2>Taken back</h2><span class="n">${count(reversed, 'record')}</span></header>${kept + failed > 0 && html`<ul class="list">${keptRecords.slice(0, 50).map(({ id, reason }) => html`<li><div class="row pad"><span class="grow">${id}</span><span class="soft">${reason}</span></div></li>`)}</ul>`}</section>`

/** Of one that no other system is known by, the names of its columns tell what it is. */
const sourceWords = ({ source }: ShownImport['files'][number]): string =>
  source === 'generic' ? 'recognised by the names of the columns' : `from ${source}`

/** What was recognised; until it is written the meaning of each column can be changed. */
function fileCard({ href, csrfField }: DeskRequest, one: ShownImport, file: ShownImport['files'][number]): Html {
  const mayChange =
    (one.status === 'judged' || one.status === 'asking') && one.files.length === 1 && file.columns.length <= 60
  const choice = (column: string) => {
    const chosen = file.map[column] ?? null
    if (!mayChange) return html`${chosen ?? 'nothing'}`
    const names = [...new Set([...Object.keys(meanings[file.kind]), ...(chosen ? [chosen] : [])])]
    return html`<select name="map.${column}" aria-label="What ${column} means"><option value="">Nothing</option>${names.map((name) => html`<option value="${name}"${name === chosen && html` selected`}>${name}</option>`)}</select>`
  }
  const table = html`<table><thead><tr><th scope="col">Column</th><th scope="col">Becomes</th></tr></thead><tbody>${file.columns.slice(0, 60).map((column) => html`<tr><td>${column}</td><td>${choice(column)}</td></tr>`)}</tbody></table>`
  return html`<section class="card"><header><h2>${file.name}</h2><span class="n">${count(file.rows, 'row')}</span></header><p class="pad">${capital(file.kind)}, ${sourceWords(file)}.${file.unusedColumns.length > 0 && html` Nothing is taken from: ${file.unusedColumns.join(', ')}.`}</p>
<details><summary class="pad">What the columns become</summary>${
    mayChange
      ? html`<form method="post" action="${href(`/import/${one.id}/judge`)}">${csrfField}${table}<div class="row pad"><button class="btn">Look at it like that</button></div></form>`
      : table
  }</details></section>`
}

/** Of several files each row says which. */
const problemCard = ({ files, problems, wrong }: ShownImport): Html =>
  html`<section class="card"><header><h2>Wrong</h2><span class="n">${count(wrong, 'record')}</span></header><table><thead><tr><th scope="col">Row</th><th scope="col">Why, and what to do</th></tr></thead><tbody>${problems.map((problem) => html`<tr><td class="num">${problem.row}</td><td>${files.length > 1 && html`<div class="soft">${problem.file}</div>`}${problem.column && html`<strong>${problem.column}</strong>: `}${problem.reason}<div class="soft">${capital(problem.fix)}.</div></td></tr>`)}</tbody></table></section>`

const repairCard = ({ repairs }: ShownImport): Html =>
  html`<section class="card"><header><h2>Decided without asking</h2></header><table><thead><tr><th scope="col">Column</th><th scope="col">What</th><th class="r" scope="col">Times</th></tr></thead><tbody>${repairs.map((repair) => html`<tr><td>${repair.column}</td><td>${repair.reason}${repair.value && html` <span class="soft">such as ${repair.value}</span>`}</td><td class="num r">${repair.count}</td></tr>`)}</tbody></table></section>`
