// Photos of forms: stored once and apart, read at an address of their own, gone with the answer that refers to them.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { connectAgent } from '../../../test/agent.ts'
import { formWriter } from '../../../test/forms.ts'
import { type Client, startTestService } from '../../../test/test-service.ts'
import { sql } from '../../db/database.ts'

const here = await startTestService()
const { database, config } = here

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
)
const picture = (bytes: Buffer, type = 'png') => `data:image/${type};base64,${bytes.toString('base64')}`
const photo = picture(png)
const otherPhoto = picture(Buffer.concat([png, Buffer.from('2')]))
const template = {
  name: 'Pictures',
  fields: [
    { id: 'first', label: 'First', type: 'photo' as const },
    { id: 'second', label: 'Second', type: 'photo' as const },
    { id: 'third', label: 'Third', type: 'photo' as const },
    { id: 'fourth', label: 'Fourth', type: 'photo' as const },
    { id: 'note', label: 'Note', type: 'text' as const },
  ],
  signatureRoles: ['technician' as const],
}

async function shopWithForm() {
  const shop = await here.organisation()
  const pen = formWriter(database, shop.orgId, config.restOrigin)
  const { templates } = await pen.import([template])
  const { id: ticketId } = (await shop.post('/tickets', { customerName: 'Ada' })).body.data
  const addForm = async (): Promise<string> => (await pen.add(ticketId, templates[0]!, 'none')).id
  return { shop, pen, ticketId, addForm, id: await addForm() }
}
const values = async (shop: Client, id: string): Promise<Record<string, string>> => {
  const { answers } = (await shop.get(`/form-submissions/${id}`)).body.data
  return Object.fromEntries(answers.map(({ fieldId, value }: Record<string, string>) => [fieldId, value]))
}
const storedPhotos = (shop: Client, id: string) =>
  database.query<{ id: string; bytes: Buffer }>(sql`
    select id, bytes from form_photos where org_id = ${shop.orgId} and submission_id = ${id} order by created_at, id`)
const fetchPhoto = ({ key }: Client, address: string) =>
  fetch(address.replace(config.restOrigin, here.origin), { headers: { 'x-api-key': key } })

describe('a picture', () => {
  test('is stored apart from the answers, which callers see with its address', async () => {
    const { shop, pen, id } = await shopWithForm()
    await pen.answer(id, { first: photo, second: 'https://photos.example/1.jpg', note: 'photo:pho_1' })
    const { first, ...others } = await values(shop, id)
    const [stored] = await storedPhotos(shop, id)
    const collection = `/api/v1/organisations/${shop.orgId}/form-submissions/${id}/photos`
    assert.equal(first, `${config.restOrigin}${collection}/${stored!.id}`)
    assert.deepEqual(others, { second: 'https://photos.example/1.jpg', note: 'photo:pho_1' })
    const list = JSON.stringify((await shop.get('/form-submissions')).body.data)
    assert.ok(list.includes(first!) && !list.includes('data:image'))

    const answer = await fetchPhoto(shop, first!)
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), png)
    const headers = ['content-type', 'content-disposition', 'content-security-policy', 'x-content-type-options']
    assert.deepEqual(
      headers.map((name) => answer.headers.get(name)),
      ['image/png', `inline; filename="${stored!.id}.png"`, "default-src 'none'; sandbox", 'nosniff'],
    )
  })

  test('is read by whoever may read its form, and at that form only', async () => {
    const { shop, pen, id, addForm } = await shopWithForm()
    await pen.answer(id, { first: photo })
    const { first: address } = await values(shop, id)
    const other = await addForm()
    assert.equal((await fetchPhoto(shop, address!.replace(id, other))).status, 404)
    const reader = await here.client(shop.orgId, { scopes: ['forms:read'] })
    const writer = await here.client(shop.orgId, { scopes: ['tickets:write', 'customers:read'] })
    assert.equal((await fetchPhoto(reader, address!)).status, 200)
    assert.equal((await fetchPhoto(writer, address!)).status, 403)
    assert.equal((await fetchPhoto(await here.organisation(), address!)).status, 403)
  })

  test('is shown to an agent as a picture', async () => {
    const { shop, pen, id } = await shopWithForm()
    await pen.answer(id, { first: photo })
    const photoId = (await storedPhotos(shop, id))[0]!.id
    const { client } = await connectAgent(here, shop.key, { headers: { 'x-mcp-toolsets': 'forms' } })
    const { content } = await client.callTool({ name: 'get_form_photo', arguments: { submissionId: id, photoId } })
    assert.deepEqual(content, [{ type: 'image', data: png.toString('base64'), mimeType: 'image/png' }])
  })

  test('is stored once in a form, however often it is given', async () => {
    const { shop, pen, id, addForm } = await shopWithForm()
    await pen.answer(id, { first: photo, second: photo, third: picture(png, 'jpeg') })
    const { first, second, third } = await values(shop, id)
    assert.ok(first === second && first !== third)
    assert.equal((await storedPhotos(shop, id)).length, 2)
    const other = await addForm()
    await pen.answer(other, { first: photo })
    assert.notEqual((await values(shop, other)).first!.split('/').at(-1), first!.split('/').at(-1))
  })

  test('that is sent back by its address, or again, changes nothing', async () => {
    const { shop, pen, id } = await shopWithForm()
    await pen.answer(id, { first: photo, note: 'Seen' })
    await pen.sign(id, { role: 'technician', signerName: 'Tess', signature: 'Tess' })
    const before = (await shop.get(`/form-submissions/${id}/events`)).body.data.events.length
    const { first } = await values(shop, id)
    await pen.answer(id, { first, note: 'Seen' })
    await pen.answer(id, { first: photo })
    assert.equal((await shop.get(`/form-submissions/${id}/events`)).body.data.events.length, before)
    assert.equal((await shop.get(`/form-submissions/${id}/signatures`)).body.data.signatures.length, 1)
    await pen.answer(id, { first: null, second: first })
    assert.deepEqual(await values(shop, id), { second: first, note: 'Seen' })
    assert.deepEqual(Buffer.from(await (await fetchPhoto(shop, first!)).arrayBuffer()), png)
  })

  test('of another form or organisation, or of none, is refused by name', async () => {
    const [one, two] = [await shopWithForm(), await shopWithForm()]
    const sibling = await one.addForm()
    await one.pen.answer(sibling, { first: photo })
    await two.pen.answer(two.id, { first: photo })
    const siblingPhoto = (await values(one.shop, sibling)).first!
    const addresses = [
      siblingPhoto,
      (await values(two.shop, two.id)).first!,
      siblingPhoto.replace(sibling, one.id),
      `${siblingPhoto}?x`,
      siblingPhoto.replace('://', '://x@'),
    ]
    for (const first of addresses)
      await assert.rejects(one.pen.answer(one.id, { first }), {
        status: 400,
        message: 'answers.first is the address of a photo that this form does not have (First)',
      })
    await assert.rejects(one.pen.answer(one.id, { first: 'photo:pho_1' }), /must be an https address/)
    assert.deepEqual(await values(one.shop, one.id), {})
  })

  test('that no answer refers to any more is deleted', async () => {
    const { shop, pen, id } = await shopWithForm()
    await pen.answer(id, { first: photo, second: photo, third: otherPhoto })
    const { first: address, third } = await values(shop, id)
    await pen.answer(id, { first: null })
    assert.equal((await fetchPhoto(shop, address!)).status, 200, 'the second still is')
    await pen.answer(id, { second: third })
    assert.equal((await fetchPhoto(shop, address!)).status, 404)
    assert.equal((await storedPhotos(shop, id)).length, 1)
  })

  test('goes with its form, and stays with one that was submitted', async () => {
    const { shop, pen, id, ticketId, addForm } = await shopWithForm()
    const open = await addForm()
    for (const form of [id, open]) await pen.answer(form, { first: photo })
    await pen.sign(id, { role: 'technician', signerName: 'Tess', signature: 'Tess' })
    await pen.submit(id)
    assert.equal((await shop.delete(`/tickets/${ticketId}`)).status, 200)
    assert.deepEqual([(await storedPhotos(shop, id)).length, (await storedPhotos(shop, open)).length], [1, 0])
    assert.equal((await fetchPhoto(shop, (await values(shop, id)).first!)).status, 200)
  })

  test('that is too large, alone or with those that are stored, is refused before anything is', async () => {
    const { shop, pen, id } = await shopWithForm()
    const large = (letter: string) => picture(Buffer.alloc(224_000, letter))
    await assert.rejects(pen.answer(id, { first: picture(Buffer.alloc(225_000)) }), /at most 300000 characters/)
    await assert.rejects(pen.answer(id, { first: 'data:image/png;base64,AAAAA' }), /must be an https address/)
    await assert.rejects(pen.answer(id, { first: 'data:image/svg+xml;base64,AAAA' }), /must be an https address/)
    await pen.answer(id, { first: large('a'), second: large('b'), third: large('c') })
    await assert.rejects(pen.answer(id, { fourth: large('d') }), /at most 1000000 characters in all/)
    assert.equal((await storedPhotos(shop, id)).length, 3)
    await pen.answer(id, { third: null, fourth: large('d') })
    assert.equal((await storedPhotos(shop, id)).length, 3)
  })
})

test('answers that are written at the same moment leave exactly the photos they refer to', async () => {
  const { shop, pen, id } = await shopWithForm()
  for (let round = 0; round < 4; round++) {
    const fields = ['first', 'second', 'third', 'fourth']
    await Promise.all(
      fields.flatMap((field, index) => [
        pen.answer(id, { [field]: picture(Buffer.from(`${round} ${index % 2}`)) }),
        pen.answer(id, { [field]: round % 2 === 0 ? null : photo }),
      ]),
    )
    const addresses = Object.values(await values(shop, id))
    const stored = (await storedPhotos(shop, id)).map((one) => one.id).sort()
    assert.deepEqual([...new Set(addresses.map((address) => address.split('/').at(-1)))].sort(), stored)
  }
})

test('whoever writes answers, the database takes the pictures out', async () => {
  const { shop, id } = await shopWithForm()
  const answer = (fieldId: string, type: string, value: string) => ({ fieldId, label: fieldId, type, value })
  const answers = [answer('first', 'photo', photo), answer('note', 'text', photo), answer('second', 'photo', photo)]
  await database.query(sql`
    insert into form_submissions (org_id, id, template_id, template_name, template_version, fields, signature_roles,
      ticket_id, gate, answers)
    select org_id, 'sub_copied', template_id, template_name, template_version, fields, signature_roles, ticket_id, gate,
      ${JSON.stringify(answers)}::jsonb from form_submissions where org_id = ${shop.orgId} and id = ${id}`)
  const { first, second, note } = await values(shop, 'sub_copied')
  assert.ok(first!.startsWith(config.restOrigin), first)
  assert.deepEqual(Buffer.from(await (await fetchPhoto(shop, first!)).arrayBuffer()), png)
  assert.deepEqual([second, note], [first, photo], 'a text is nobody’s picture')
})
