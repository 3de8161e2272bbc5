// Forms brought in and filled in on the command line, while the service is running.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { commandLine, settingsFor } from '../../test/command-line.ts'
import { startTestService } from '../../test/test-service.ts'
import { listAuditEntries } from '../identity/audit.ts'

const here = await startTestService()
const jobwright = commandLine(settingsFor(here))
const shop = await here.organisation()
const org = shop.orgId
const folder = mkdtempSync(join(tmpdir(), 'jobwright-forms-'))
after(() => rmSync(folder, { recursive: true, force: true }))

function file(contents: unknown): string {
  const path = join(folder, `${Math.random()}.json`)
  writeFileSync(path, typeof contents === 'string' ? contents : JSON.stringify(contents))
  return path
}
const gasSafetyTemplate = {
  name: 'Gas safety record',
  fields: [
    { id: 'co', label: 'CO in ppm', type: 'number', required: true },
    { id: 'flue', label: 'Flue', type: 'choice', options: ['Open', 'Sealed'] },
    { id: 'ink', label: 'Landlord', type: 'signature', required: true },
  ],
  signatureRoles: ['technician', 'customer'],
}
const rule = {
  name: 'Boilers',
  template: gasSafetyTemplate.name,
  gate: 'completion',
  match: { deviceTypes: ['Boiler'] },
}

const forms = (act: string, ...words: string[]) => jobwright('forms', act, '--org', org, ...words, '--json')
const importError = async (contents: unknown) => {
  const { code, stderr } = await forms('import', file(contents))
  return code === 0 ? undefined : stderr.trim()
}
async function createJobWithForm(): Promise<{ id: string; ticketId: string }> {
  const job = await shop.post('/tickets', { customerName: 'A', customerDeviceType: 'Boiler' })
  const ticketId = job.body.data.id
  const [{ id }] = (await shop.get(`/form-submissions?ticketId=${ticketId}`)).body.data.formSubmissions
  return { id, ticketId }
}

describe('forms import', () => {
  it('brings in templates and rules, and answers their ids; the same file again changes nothing', async () => {
    const path = file({ templates: [gasSafetyTemplate], rules: [rule] })
    const { json } = await forms('import', path)
    assert.deepEqual([json.templates.length, json.rules.length], [1, 1])
    const { data } = (await shop.get(`/form-templates/${json.templates[0]}`)).body
    assert.deepEqual([data.name, data.version, data.status], ['Gas safety record', 1, 'published'])
    assert.equal((await shop.get(`/form-rules/${json.rules[0]}`)).body.data.templateId, json.templates[0])
    assert.deepEqual((await forms('import', path)).json, json)
    assert.deepEqual((await shop.get(`/form-templates/${json.templates[0]}`)).body.data, data)
    assert.match((await jobwright('forms', 'import', '--org', org, path)).stdout, /1 template.* and 1 rule/)
  })

  it('takes the file that is given as an example', async () => {
    const other = await here.organisation()
    const { code, json } = await jobwright(
      'forms',
      'import',
      '--org',
      other.orgId,
      'docs/examples/gas-safety.json',
      '--json',
    )
    assert.deepEqual([code, json.templates.length, json.rules.length], [0, 1, 1])
  })

  it('takes what the service answered', async () => {
    const [template] = (await shop.get('/form-templates')).body.data.formTemplates
    const [stored] = (await shop.get('/form-rules')).body.data.formRules
    assert.equal(await importError({ templates: [template], rules: [stored] }), undefined)
    assert.deepEqual((await shop.get('/form-templates')).body.data.formTemplates, [template])
    assert.deepEqual((await shop.get('/form-rules')).body.data.formRules, [stored])
  })

  it('refuses a file by the place where it is wrong, and brings in nothing of it', async () => {
    const one = (template: object) => ({
      templates: [
        { name: 'New', fields: [] },
        { ...gasSafetyTemplate, ...template },
      ],
    })
    const wrong: [unknown, string | RegExp][] = [
      ['{', /is not JSON: /],
      [[], /must hold one JSON object/],
      [{ forms: [] }, 'forms is not allowed'],
      [{ templates: [{ fields: [] }] }, 'templates[0].name is required'],
      [{ templates: [{ name: 'X' }] }, 'templates[0].fields is required'],
      [one({ colour: 'red' }), 'templates[1].colour is not allowed'],
      [
        one({ fields: [{ id: 'a', label: 'A', type: 'tick' }] }),
        /^templates\[1\]\.fields\[0\]\.type must be one of text/,
      ],
      [one({ fields: [{ id: 'a b', label: 'A', type: 'text' }] }), /^templates\[1\]\.fields\[0\]\.id must be an id/],
      [
        one({ fields: [gasSafetyTemplate.fields[0], { id: 'c', label: 'C', type: 'choice' }] }),
        'templates[1].fields[1].options is required for choice',
      ],
      [one({ signatureRoles: ['boss'] }), /^templates\[1\]\.signatureRoles\[0\] must be one of technician, customer/],
      [{ rules: [{ ...rule, gate: 'end' }] }, /^rules\[0\]\.gate must be one of start, completion, invoice, none/],
      [{ rules: [{ ...rule, match: { types: [] } }] }, 'rules[0].match.types is not allowed'],
      [{ rules: [{ ...rule, template: 'Nope' }] }, 'rules[0].template does not exist'],
    ]
    for (const [contents, problem] of wrong) {
      const message = await importError(contents)
      if (typeof problem === 'string') assert.equal(message, problem)
      else assert.match(message ?? '', problem)
    }
    assert.match((await forms('import', join(folder, 'none.json'))).stderr, /none\.json cannot be read: ENOENT/)
    assert.equal((await shop.get('/form-templates')).body.data.formTemplates.length, 1)
    assert.match((await jobwright('forms', 'import', file({}))).stderr, /--org is required/)
  })
})

describe('a form on the command line', () => {
  it('keeps a photo that is given as a data URL, and takes its address in place of it', async () => {
    const fields = [{ id: 'flue', label: 'Flue', type: 'photo', required: true }]
    const other = await here.organisation()
    const run = (act: string, ...words: string[]) => jobwright('forms', act, '--org', other.orgId, ...words, '--json')
    await run(
      'import',
      file({ templates: [{ name: 'Flue', fields }], rules: [{ ...rule, template: 'Flue', match: {} }] }),
    )
    await other.post('/tickets', { customerName: 'A' })
    const [{ id }] = (await other.get('/form-submissions')).body.data.formSubmissions
    const started = (await run('start', id, '--answers', file({ flue: 'data:image/png;base64,iVBORw0KGgo=' }))).json
    const address: string = started.answers[0].value
    assert.ok(address.includes(`/api/v1/organisations/${other.orgId}/form-submissions/${id}/photos/pho_`), address)
    const { json } = await run('submit', id, '--answers', file({ flue: address }))
    assert.deepEqual([json.status, json.answers], ['submitted', started.answers])
  })

  it('is started, refused by name while it is incomplete, and submitted with answers and a name', async () => {
    const { id, ticketId } = await createJobWithForm()
    const started = (await forms('start', id)).json
    assert.deepEqual([started.id, started.status], [id, 'inProgress'])
    const refused = await forms('submit', id, '--signature', 'Ann')
    assert.deepEqual([refused.code, refused.stderr], [1, 'answers.co is required (CO in ppm)\n'])
    const unsigned = await forms('submit', id, '--answers', file({ co: 9, ink: 'Ann' }))
    assert.match(unsigned.stderr, /^signatures\.technician is required/)
    const wrong = await forms('submit', id, '--answers', file({ co: '9' }), '--signature', 'Ann')
    assert.equal(wrong.stderr, 'answers.co must be a number (CO in ppm)\n')
    assert.equal((await shop.put(`/tickets/${ticketId}/status`, { status: 'Closed' })).status, 409)
    const { json } = await forms('submit', id, '--answers', file({ co: 9 }), '--signature', 'Ann')
    assert.deepEqual(json, (await shop.get(`/form-submissions/${id}`)).body.data)
    assert.deepEqual([json.status, json.submittedById], ['submitted', null])
    const { signatures } = (await shop.get(`/form-submissions/${id}/signatures`)).body.data
    assert.deepEqual(
      signatures.map(({ role, signerName, signature }: Record<string, string>) => [role, signerName, signature]),
      [
        ['technician', 'Ann', 'Ann'],
        ['customer', 'Ann', 'Ann'],
      ],
    )
    const { events } = (await shop.get(`/form-submissions/${id}/events`)).body.data
    assert.deepEqual(
      events.map(({ type }: { type: string }) => type),
      ['created', 'opened', 'answered', 'signed', 'signed', 'submitted'],
      'what was refused is not in the trail',
    )
    assert.deepEqual([events[1].actorId, events[1].actorName], [null, 'Command line'])
    assert.equal((await shop.put(`/tickets/${ticketId}/status`, { status: 'Closed' })).status, 200)
    const reopened = (await forms('reopen', id, '--reason', 'Typing mistake')).json
    assert.deepEqual([reopened.status, reopened.submittedAt], ['inProgress', null])
    const lines = await listAuditEntries(here.database, org, null)
    assert.deepEqual(
      lines.filter(({ subject }) => subject === id).map(({ action, memberName }) => [action, memberName]),
      [
        ['form.reopened', 'Command line'],
        ['form.submitted', 'Command line'],
      ],
      'nor in the audit log',
    )
  })

  it('keeps what was answered when it was started', async () => {
    const { id } = await createJobWithForm()
    await forms('start', id, '--answers', file({ co: 3 }))
    const { json } = await forms('submit', id, '--signature', 'Ann')
    assert.deepEqual([json.status, json.answers[0].value], ['submitted', 3])
  })

  it('is voided with a reason, and then nothing waits for it', async () => {
    const { id, ticketId } = await createJobWithForm()
    const { json } = await forms('void', id, '--reason', 'Electric boiler')
    assert.deepEqual([json.status, json.voidReason], ['voided', 'Electric boiler'])
    assert.equal((await shop.put(`/tickets/${ticketId}/status`, { status: 'Closed' })).status, 200)
    const again = await forms('void', id)
    assert.deepEqual([again.code, again.stderr], [1, 'The form is voided and cannot be voided\n'])
  })

  it('must exist in the organisation', async () => {
    const other = await here.organisation()
    const { id } = await createJobWithForm()
    for (const act of ['start', 'submit', 'void', 'reopen']) {
      assert.equal((await forms(act, 'sub_none')).stderr, 'Form submission not found\n')
      const { stderr } = await jobwright('forms', act, '--org', other.orgId, id)
      assert.equal(stderr, 'Form submission not found\n')
    }
    assert.match((await forms('submit', id, '--answers', file([]))).stderr, /must hold one JSON object/)
  })

  it('is shown to people', async () => {
    const { id } = await createJobWithForm()
    const { stdout } = await jobwright('forms', 'start', id, '--org', org)
    assert.match(stdout, /^The form is started\.\n/)
    assert.match(stdout, /Template +Gas safety record/)
    for (const act of ['import', 'start', 'submit', 'void', 'reopen']) {
      assert.match((await jobwright('forms', act, '--help')).stdout, /--org/)
    }
  })
})
