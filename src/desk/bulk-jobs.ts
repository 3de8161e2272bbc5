// Several jobs at once: given to somebody, or moved to a status; and one way back.
import { sql } from '../db/database.ts'
import { chosenIds } from '../domain/bulk.ts'
import { type Html, html } from '../http/html.ts'
import { accountView, actOnEach, bulkRefusedView, type Chosen, leadBack, type Outcome } from './bulk.ts'
import { explainGate } from './job-lookup.ts'
import type { Performed } from './perform.ts'
import type { DeskRequest, DeskRouter } from './router.ts'
import { loadSetup, type ShopSetup } from './shop-setup.ts'
import { refused } from './visit-lookup.ts'

interface ChosenJob extends Chosen {
  readonly number: number
  readonly title: string
  /** The name of its status, the id of who has it: what is taken back to. */
  readonly status: string
  readonly technician: string
}

type JobAct = 'assign' | 'move'

const choosing = '/board?choose=yes'

export function addBulkJobRoutes(router: DeskRouter): void {
  leadBack(router, ['/jobs/bulk', '/jobs/bulk/undo'], ['tickets:write'], choosing)

  router.post('/jobs/bulk', ['tickets:write'], async (request) => {
    const { form } = request
    const act: JobAct = form.get('act') === 'assign' ? 'assign' : 'move'
    const ids = chosenIds(form.getAll('job'), 'job')
    if (typeof ids === 'string') return request.render(bulkRefusedView(request, ids, 'board', choosing))
    const value = form.get(act === 'assign' ? 'technician' : 'status') ?? ''
    const [setup, jobs] = await Promise.all([loadSetup(request), loadJobs(request, ids)])
    const outcomes = await actOnEach(jobs, (job) => change(request, act, job, value))
    return request.render(
      accountView(request, {
        title: act === 'assign' ? 'Jobs assigned' : 'Jobs moved',
        place: 'board',
        back: ['/board', 'Board'],
        noun: 'job',
        doneWords: doneWords(act, value, setup),
        outcomes,
        undo: undoForm(request, act, value, outcomes),
      }),
    )
  })

  /** What was changed since by somebody else stays theirs. */
  router.post('/jobs/bulk/undo', ['tickets:write'], async (request) => {
    const { form } = request
    const act: JobAct = form.get('act') === 'assign' ? 'assign' : 'move'
    const before = new Map(form.getAll('was').map((one) => splitOnce(one)))
    const ids = chosenIds([...before.keys()], 'job')
    if (typeof ids === 'string') return request.render(bulkRefusedView(request, ids, 'board', choosing))
    const set = form.get('set') ?? ''
    const outcomes = await actOnEach(await loadJobs(request, ids), async (job) =>
      fieldOf(act, job) === set
        ? change(request, act, job, before.get(job.id) ?? '')
        : refused('Somebody changed it meanwhile.'),
    )
    return request.render(
      accountView(request, {
        title: 'Taken back',
        place: 'board',
        back: ['/board', 'Board'],
        noun: 'job',
        doneWords: 'as before',
        outcomes,
      }),
    )
  })
}

const fieldOf = (act: JobAct, { status, technician }: ChosenJob): string => (act === 'assign' ? technician : status)

const splitOnce = (text: string): [id: string, value: string] => {
  const at = text.indexOf(' ')
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

/** In the order of their numbers; one that is gone is refused by its id. */
async function loadJobs({ orgId, database }: DeskRequest, ids: readonly string[]): Promise<ChosenJob[]> {
  const found = await database.read<Pick<ChosenJob, 'id' | 'number' | 'title' | 'status' | 'technician'>>(
    orgId,
    sql`select ticket.id, ticket_number as number, coalesce(service_required, 'Job without a title') as title,
        status.name as status, coalesce(assigned_technician, '') as technician
      from tickets ticket join ticket_statuses status on status.org_id = ticket.org_id and status.id = ticket.status_id
      where ticket.org_id = ${orgId} and ticket.id = any(${ids}) order by ticket_number`,
  )
  const gone = ids.filter((id) => !found.some((job) => job.id === id))
  return [
    ...found.map((job) => ({ ...job, name: `#${job.number}`, about: job.title, path: `/jobs/${job.id}` })),
    ...gone.map((id) => ({
      id,
      number: 0,
      title: '',
      status: '',
      technician: '',
      name: id,
      about: '',
      path: '/board',
    })),
  ]
}

async function change(request: DeskRequest, act: JobAct, job: ChosenJob, value: string): Promise<Performed<unknown>> {
  if (job.number === 0) return refused('It is no longer there.')
  if (fieldOf(act, job) === value) return { isDone: true, data: null, version: undefined }
  const performed = await request.perform({
    operation: act === 'assign' ? 'updateTicket' : 'setTicketStatus',
    params: { ticketId: job.id },
    body: act === 'assign' ? { assignedTechnician: value === '' ? null : value } : { status: value },
    subject: `job #${job.number}`,
  })
  return explainGate(request, job, value, performed)
}

function doneWords(act: JobAct, value: string, { personById }: ShopSetup): string {
  if (act === 'move') return `moved to ${value}`
  return value === '' ? 'assigned to nobody' : `assigned to ${personById.get(value)?.name ?? 'somebody'}`
}

/** Those that really changed. */
function undoForm(
  { href, csrfField }: DeskRequest,
  act: JobAct,
  value: string,
  outcomes: readonly Outcome<ChosenJob>[],
): Html | false {
  const changed = outcomes.filter(({ record, refused: why }) => why === undefined && fieldOf(act, record) !== value)
  return (
    changed.length > 0 &&
    html`<form method="post" action="${href('/jobs/bulk/undo')}" data-turbo="false">${csrfField}<input type="hidden" name="act" value="${act}"><input type="hidden" name="set" value="${value}">${changed.map(({ record }) => html`<input type="hidden" name="was" value="${`${record.id} ${fieldOf(act, record)}`}">`)}<button class="btn">Undo</button></form>`
  )
}
