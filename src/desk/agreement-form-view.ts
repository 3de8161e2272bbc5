// The form of an agreement: the rule part by part with the visits it would have, and what each visit's job holds.
import type { Slot } from '../domain/recurrence.ts'
import { ordinalNames, weekDayNames } from '../domain/series-words.ts'
import { type Html, type HtmlPart, html } from '../http/html.ts'
import type { Surroundings } from './agreement-data.ts'
import { unitOf } from './agreement-fields.ts'
import { rowsOf, templateRowView } from './agreement-lines.ts'
import type { Clock } from './formatting.ts'
import { icon } from './icons.ts'
import type { DeskRequest } from './router.ts'
import type { ShopSetup } from './shop-setup.ts'

/** What the rule comes to, or what is wrong with it. */
export type Preview =
  | { readonly words: string; readonly visits: readonly Slot[]; readonly clock: Clock }
  | { readonly wrong: string }

export interface AgreementForm {
  readonly typed: URLSearchParams
  readonly around: Surroundings
  readonly setup: ShopSetup
  readonly preview: Preview
  /** What was refused, beside its field where it has one. */
  readonly problem?: { readonly field: string | undefined; readonly words: string } | undefined
  /** Where it is sent. */
  readonly action: string
  readonly button: string
  readonly cancel: string
  /** What a change carries besides: its version, and what each field was. */
  readonly hidden: HtmlPart
  /** What is asked about visits to come. */
  readonly question?: Html | undefined
}

type Shown = Pick<AgreementForm, 'typed' | 'problem'>

const wrongMark = ({ problem }: Shown, name: string): Html | false =>
  problem?.field === name && html` aria-invalid="true" aria-describedby="wrong"`
const wrongWords = ({ problem }: Shown, name: string): Html | false =>
  problem?.field === name && html`<small class="danger" id="wrong" role="alert">${problem.words}</small>`

function field(form: Shown, name: string, label: string, attributes: Html = html``): Html {
  return html`<label class="field grow"><span>${label}</span><input name="${name}" value="${form.typed.get(name) ?? ''}" autocomplete="off"${wrongMark(form, name)}${attributes}>${wrongWords(form, name)}</label>`
}

type Options = readonly (readonly [value: string, words: string])[]

function select(form: Shown, name: string, label: string, options: Options): Html {
  const value = form.typed.get(name) ?? ''
  return html`<label class="field grow"><span>${label}</span><select name="${name}"${wrongMark(form, name)}>${options.map(([one, words]) => html`<option value="${one}"${one === value && html` selected`}>${words}</option>`)}</select>${wrongWords(form, name)}</label>`
}

const monthDays: Options = [
  ['', 'the day it begins on'],
  ...Array.from({ length: 31 }, (_, index) => [String(index + 1), `day ${index + 1}`] as const),
  ['-1', 'the last day'],
]
const ordinals: Options = [1, 2, 3, 4, 5, -1, -2].map((one) => [String(one), `the ${ordinalNames[one]}`])
const weekDays: Options = weekDayNames.map((name, index) => [String(index), name])

/** The parts that do not matter are hidden by the style sheet, which looks at what is chosen. */
function ruleFields(form: AgreementForm): Html {
  const { typed } = form
  const chosen = new Set(typed.getAll('weekDays'))
  const units: Options = [
    ['days', 'days'],
    ['weeks', 'weeks'],
    ['months', 'months'],
    ['years', 'years'],
    ...(unitOf(typed) === 'text' ? [['text', 'as it is written'] as const] : []),
  ]
  return html`<section class="card rule" id="rule"><header><h2>How often</h2></header><div class="words stack">
<div class="row wrap"><span class="not-text">${field(form, 'every', 'Every', html` inputmode="numeric" class="short"`)}</span>${select(form, 'unit', 'Unit', units)}</div>
<fieldset class="for-weeks"><legend class="soft small">On (none: the weekday it begins on)</legend><div class="row wrap">${weekDays.map(([value, name]) => html`<label class="choice"><input type="checkbox" name="weekDays" value="${value}"${chosen.has(value) && html` checked`}>${name}</label>`)}</div></fieldset>
<div class="row wrap for-months">${select(form, 'monthly', 'On', [
    ['day', 'a day of the month'],
    ['weekday', 'a weekday of the month'],
  ])}<span class="for-day row grow">${select(form, 'monthDay', 'Which day', monthDays)}</span><span class="for-weekday row grow">${select(form, 'ordinal', 'Which one', ordinals)}${select(form, 'weekDay', 'Weekday', weekDays)}</span></div>
<div class="for-text">${field(form, 'ruleText', 'The rule as it is written (RRULE)', html` maxlength="200"`)}</div>
<div class="row wrap">${field(form, 'day', 'From', html` type="date" required`)}${field(form, 'time', 'At', html` type="time" required`)}${field(form, 'durationMinutes', 'How long, in minutes', html` inputmode="numeric" required`)}</div>
<div class="row wrap not-text">${select(form, 'ends', 'Until', [
    ['never', 'it is ended'],
    ['until', 'a day'],
    ['count', 'a number of visits'],
  ])}<span class="for-until grow">${field(form, 'until', 'Last day', html` type="date"`)}</span><span class="for-count grow">${field(form, 'count', 'Visits', html` inputmode="numeric"`)}</span></div>
</div></section>`
}

/** What the rule says in words, and the next ten visits. A script renews it as one chooses. */
export function previewView(preview: Preview): Html {
  if ('wrong' in preview) return html`<p class="danger" role="alert">${preview.wrong}</p>`
  const { words, visits, clock } = preview
  return html`<p class="strong">${words}.</p>${
    visits.length === 0
      ? html`<p class="danger">It never falls on a day to come.</p>`
      : html`<ol class="visits-to-come">${visits.map(({ from, to }) => html`<li><span class="grow">${clock.longDay(from)} ${clock.date(from).slice(0, 4)}</span><span class="num soft">${clock.span(from, to)}</span></li>`)}</ol>`
  }`
}

function linesCard({ href }: DeskRequest, { typed, around, problem }: AgreementForm): Html {
  const head = html`<thead><tr><th scope="col">What</th><th class="r" scope="col">Quantity</th><th class="r" scope="col">Price</th><th scope="col">Tax</th><th class="k"><span class="sr">Remove</span></th></tr></thead>`
  return html`<section class="card" id="lines"><header><h2>What is sold on each visit</h2></header>${problem?.field === 'lineItems' && html`<p class="words danger" role="alert" id="wrong">${problem.words}</p>`}<input type="hidden" name="rows" value="yes"><table class="lines taxed">${head}<tbody id="rows">${rowsOf(typed).map((row) => templateRowView(row, around.taxRates))}</tbody></table><div class="pick"><desk-pick src="${href('/catalogue')}" stay><input name="q" role="combobox" aria-expanded="false" aria-autocomplete="list" aria-controls="catalogue" aria-label="Add a service or a part" placeholder="Add a service or a part" autocomplete="off" maxlength="200"><input type="hidden" name="source"><div class="options" id="catalogue" role="listbox" aria-label="Catalogue"></div></desk-pick><noscript><button class="btn" name="add" value="yes">Add</button></noscript></div></section>`
}

function jobCard(form: AgreementForm): Html {
  const { typed, around, setup } = form
  const chosen = typed.get('assignedTechnician') ?? ''
  const people = setup.people.filter(({ id, isActive }) => isActive || id === chosen)
  const devices = around.customer?.devices ?? []
  return html`<section class="card"><header><h2>What each visit is</h2></header><div class="words stack">
${field(form, 'serviceRequired', 'What is done', html` maxlength="500" required`)}
<label class="field"><span>Description</span><textarea name="description" rows="2" maxlength="10000">${typed.get('description') ?? ''}</textarea></label>
<div class="row wrap">${select(form, 'assignedTechnician', 'Who', [['', 'Nobody yet'], ...people.map(({ id, name }) => [id, name] as const)])}${select(form, 'stationId', 'Place', [['', 'None'], ...setup.stations.map(({ id, name }) => [id, name] as const)])}${devices.length > 0 && select(form, 'deviceId', 'Device', [['', 'None'], ...devices.map(({ id, name }) => [id, name] as const)])}</div>
<div class="row wrap">${field(form, 'name', 'Name of the agreement (optional)', html` maxlength="120"`)}${field(form, 'horizonDays', 'Jobs are made so many days ahead', html` inputmode="numeric" required`)}</div>
</div></section>`
}

export function agreementFormView(request: DeskRequest, form: AgreementForm): Html {
  const { href, csrfField } = request
  const { problem, preview, action, button, cancel, hidden, question } = form
  const previewAddress = href('/recurring/preview')
  const rowAddress = href('/recurring/row')
  return html`${problem && problem.field === undefined && html`<p class="note danger" role="alert">${icon('warning')}<span>${problem.words}</span></p>`}
<form class="cols new-job" method="post" action="${href(action)}" id="agreement" data-document data-preview="${previewAddress}" data-rows="${rowAddress}"><div class="stack">${csrfField}${hidden}<button class="sr" tabindex="-1" aria-hidden="true">${button}</button>
${ruleFields(form)}${jobCard(form)}${linesCard(request, form)}${question}
<div class="row"><button class="btn main">${button}</button><a class="btn quiet" href="${href(cancel)}">Cancel</a></div></div>
<aside class="stack" aria-label="The next ten visits"><section class="card"><header><h2>The next ten</h2></header><div class="words stack-tight" id="preview" aria-live="polite">${previewView(preview)}</div><div class="words"><button class="btn" name="show" value="yes" formnovalidate>Show the visits of what is chosen</button></div></section></aside></form>`
}
