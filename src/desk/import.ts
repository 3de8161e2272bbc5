// Moving in: files of another system are chosen, looked at, tried out, brought, watched, and taken back.
import { sql } from '../db/database.ts'
import { type Kind, kinds } from '../domain/moving-in/kinds.ts'
import { FileRefused } from '../domain/moving-in/recognise.ts'
import { updateModes } from '../domain/moving-in/verdict.ts'
import { recogniseFiles, stageFiles } from '../moving-in/bring.ts'
import { createContext, noDependencies } from '../operations/context.ts'
import type { Scope } from '../operations/scopes.ts'
import { selectFilesWithWrong } from '../resources/imports/wrong-rows.ts'
import { importListView, importView, type ListedImport, type ShownImport } from './import-view.ts'
import type { Refusal } from './perform.ts'
import type { DeskRequest, DeskRouter } from './router.ts'
import { withUploads } from './uploads.ts'

export const importScopes: readonly Scope[] = ['imports:write']

/** The one form with files; mounted where those are read. */
export function addUploadRoutes(router: DeskRouter): void {
  router.post('/import', importScopes, (request) =>
    withUploads(request.form, async (files, folder) => {
      const { form, database, orgId } = request
      if (files.length === 0) return showList(request, 'Choose a file first.')
      const kind = form.get('kind') ?? ''
      if (kind !== '' && !isKind(kind)) return showList(request, 'Choose what the files hold from the list.')
      try {
        const options = { ...optionsIn(form), ...(isKind(kind) && { kind }) }
        const opened = await recogniseFiles(files, options, { orgId, folder })
        const id = await stageFiles(opened, options, { database, orgId, contextOn: contextFor(request) })
        return request.answer(await judge(request, id, {}), { to: `/import/${id}` })
      } catch (error) {
        if (!(error instanceof FileRefused)) throw error
        return showList(request, `${error.message}.`)
      }
    }),
  )
}

const isKind = (word: string): word is Kind => (kinds as readonly string[]).includes(word)

export function addImportRoutes(router: DeskRouter): void {
  router.get('/import', importScopes, (request) => showList(request))

  router.get('/import/:import', importScopes, (request) => showImport(request))

  router.get('/import/:import/problems.csv', importScopes, (request) =>
    request.sendFileOf('listImportProblems', {
      params: { importId: request.params.import! },
      query: { format: 'csv', ...(request.query.file && { file: request.query.file }) },
    }),
  )

  router.post('/import/:import/judge', importScopes, async (request) => {
    const dateOrder = request.form.get('dateOrder')
    const options = dateOrder === 'dmy' || dateOrder === 'mdy' ? { dateOrder } : {}
    return request.answer(await judge(request, request.params.import!, { ...options, ...mapIn(request.form) }), {
      to: `/import/${request.params.import}`,
      refused: (refusal) => showImport(request, refusal),
    })
  })
  for (const [path, operation] of [
    ['write', 'writeImport'],
    ['undo', 'undoImport'],
  ] as const)
    router.post(`/import/:import/${path}`, importScopes, async (request) => {
      const importId = request.params.import!
      const performed = await request.perform({ operation, params: { importId }, subject: `import ${importId}` })
      return request.answer(performed, {
        to: `/import/${importId}`,
        refused: (refusal) => showImport(request, refusal),
      })
    })
}

async function showImport(request: DeskRequest, refusal?: Refusal) {
  const id = request.params.import!
  const { sql: query, decode } = selectFilesWithWrong(request, id)
  const [shown, { problems }, filesWithWrong] = await Promise.all([
    request.read<ShownImport>('getImport', { params: { importId: id } }),
    request.read<{ problems: ShownImport['problems'] }>('listImportProblems', {
      params: { importId: id },
      query: { limit: 50 },
    }),
    request.database.read(request.orgId, query, 'slow').then((rows) => decode(rows as never[])),
  ])
  return request.render(importView(request, { ...shown, problems, filesWithWrong }, refusal))
}

const contextFor = (request: DeskRequest) => (db: Parameters<typeof createContext>[0]) =>
  createContext(db, request.caller, noDependencies)

async function showList(request: DeskRequest, problem?: string) {
  const imports = await request.database.read<ListedImport>(request.orgId, selectImports(request.orgId))
  return request.render(importListView(request, imports, problem))
}

const maxListed = 20

/** Their columns and what was decided about them are left out: of twenty imports those are much. */
const selectImports = (orgId: string) =>
  sql`select id, status, is_dry_run as "isDryRun", (select string_agg(file->>'name', ', ' order by place)
        from jsonb_array_elements(files) with ordinality as f (file, place)) as names,
      created, wrong, created_at as "createdAt"
      from imports where org_id = ${orgId} order by created_at desc, id desc limit ${maxListed}::int`

const judge = (request: DeskRequest, importId: string, options: object) =>
  request.perform({ operation: 'judgeImport', params: { importId }, body: { options }, subject: `import ${importId}` })

/** What becomes of records that are here. */
function optionsIn(form: URLSearchParams) {
  const update = updateModes.find((mode) => mode === form.get('update'))
  return update ? { update } : {}
}

/** Fields `map.COLUMN`: what a column means, or nothing. */
function mapIn(form: URLSearchParams) {
  const entries = [...form].filter(([name]) => name.startsWith('map.'))
  if (entries.length === 0) return {}
  return { map: Object.fromEntries(entries.map(([name, target]) => [name.slice('map.'.length), target || null])) }
}
