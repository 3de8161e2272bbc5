// The page of the board.
import { type Html, html } from '../http/html.ts'
import { count } from './formatting.ts'
import { mainButton, pageHead, type View } from './frame.ts'
import { type JobCard, jobCard } from './job-cards.ts'
import { statusDot } from './marks.ts'
import type { DeskRequest } from './router.ts'
import type { ShopSetup, Status } from './shop-setup.ts'

export interface BoardColumn {
  readonly status: Status
  readonly shown: readonly JobCard[]
  /** Planned far ahead. */
  readonly later: readonly JobCard[]
  /** Closed before those that are shown. */
  readonly earlierCount: number
}

export interface Board {
  readonly who: string
  /** Whether several are chosen for one act. */
  readonly isChoosing: boolean
  readonly columns: readonly BoardColumn[]
  readonly setup: ShopSetup
  /** Whether there are more than the board shows. */
  readonly isCut: boolean
}

function column(
  request: DeskRequest,
  { status, shown, later, earlierCount }: BoardColumn,
  { setup, isChoosing }: Board,
): Html {
  const card = (job: JobCard) => jobCard(request, job, { status, people: setup.personById, isChoosing })
  return html`<section class="column" id="col-${status.id}" data-drop="${status.name}" aria-label="${status.name}"><header>${statusDot(status.color)}<h2>${status.name}</h2><span class="n">${shown.length + later.length}</span></header>
<ol>${shown.map(card)}</ol>
${later.length > 0 && html`<details class="later" id="later-${status.id}"><summary>${later.length} planned later</summary><ol>${later.map(card)}</ol></details>`}
${earlierCount > 0 && html`<p class="later soft small">${earlierCount.toLocaleString('en-GB')} closed earlier</p>`}
</section>`
}

/** Technicians, and whoever else has a job. */
function whoSwitch({ href }: DeskRequest, { who, isChoosing, setup: { people }, columns }: Board): Html {
  const busy = new Set(columns.flatMap(({ shown, later }) => [...shown, ...later].map(({ technician }) => technician)))
  const named = people.filter(
    ({ id, role, isActive }) => id === who || busy.has(id) || (isActive && role === 'technician'),
  )
  const link = (value: string, words: string) =>
    html`<a href="${href(boardPath(value, isChoosing))}"${value === who && html` aria-current="true"`}>${words}</a>`
  return html`<div class="seg" role="group" aria-label="Whose jobs">${link('', 'Everybody')}${named.map(({ id, firstName }) => link(id, firstName))}${link('nobody', 'Nobody')}</div>`
}

const boardPath = (who: string, isChoosing: boolean): string => {
  const query = new URLSearchParams({ ...(who && { who }), ...(isChoosing && { choose: 'yes' }) })
  return `/board${query.size > 0 ? `?${query}` : ''}`
}

/** What is done with those that were chosen. Its answer is a page, which Turbo does not take. */
function bulkBar({ caller }: DeskRequest, { setup: { people, statuses } }: Board): Html {
  const offered = people.filter(
    ({ id, isActive }) => isActive && (caller.onlyJobsOf === undefined || id === caller.onlyJobsOf),
  )
  return html`<div class="bulk" role="group" aria-label="With those that are chosen"><label class="field"><span>Assign to</span><select name="technician"><option value="">Nobody</option>${offered.map(({ id, name }) => html`<option value="${id}">${name}</option>`)}</select></label><button class="btn" name="act" value="assign">Assign</button><label class="field"><span>Move to</span><select name="status">${statuses.map(({ name }) => html`<option value="${name}">${name}</option>`)}</select></label><button class="btn" name="act" value="move">Move</button></div>`
}

/** For those who move cards by keys: the numbers are the order of the columns. */
const mover = ({ href }: DeskRequest, columns: readonly BoardColumn[]): Html =>
  html`<dialog id="mover" aria-label="Move to another status"><form method="post" action="${href('/board')}"><h2>Move <span data-name></span> to</h2><div class="stack">${columns.map(
    ({ status }, index) =>
      html`<button class="btn" name="status" value="${status.name}">${statusDot(status.color)}${status.name}<kbd>${index + 1}</kbd></button>`,
  )}</div><p class="row"><button class="btn quiet" formmethod="dialog">Cancel</button></p></form></dialog>`

export function boardView(request: DeskRequest, board: Board): View {
  const { href, may, csrfField } = request
  const { who, isChoosing, columns, isCut } = board
  const cards = html`<desk-board class="board" id="board"${!isChoosing && html` data-live="tickets ticket-statuses form-submissions calendar-events members"`}>${columns.map((one) => column(request, one, board))}</desk-board>`
  const hints = html`<span class="soft small desktop"><kbd>←</kbd> <kbd>→</kbd> <kbd>↑</kbd> <kbd>↓</kbd> go <kbd>M</kbd> move</span>`
  return {
    title: 'Board',
    place: 'board',
    isWide: true,
    body: html`${pageHead('Board', {
      beside: whoSwitch(request, board),
      actions: html`${!isChoosing && hints}${may('tickets:write') && html`<a class="btn" href="${href(boardPath(who, !isChoosing))}">${isChoosing ? 'Stop choosing' : 'Choose several'}</a>`}${may('tickets:write') && mainButton(href('/jobs/new'), 'New job', 'plus')}`,
    })}
${
  isCut &&
  html`<p class="note">Only ${count(
    columns.reduce((sum, { shown, later }) => sum + shown.length + later.length, 0),
    'job',
  )} are shown. Choose whose jobs you want to see.</p>`
}
${
  isChoosing
    ? html`<form class="stack" method="post" action="${href('/jobs/bulk')}" data-turbo="false">${csrfField}${cards}${bulkBar(request, board)}</form>`
    : html`${cards}
${mover(request, columns)}`
}`,
  }
}
