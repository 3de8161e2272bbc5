// Files that come with a form of the desk: only from members who may, no more than can be brought, and gone with the answer.
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { removeControlCharacters } from '../domain/text.ts'
import { endedTooSoon, type FileSink, formTooLarge, readMultipart } from '../http/multipart.ts'
import { ApiError, badRequest } from '../operations/errors.ts'
import type { Scope } from '../operations/scopes.ts'
import { memberCaller } from '../resources/roles.ts'
import { requireMember } from '../sign-in/member-session.ts'
import type { DeskDependencies } from './router.ts'

export interface Upload {
  readonly name: string
  readonly path: string
}

export const maxUploadBytes = 50 * 1_048_576
const maxFiles = 10

interface Received {
  readonly folder: string
  readonly files: Upload[]
  remove(): Promise<void>
}

/** By the form that they came with. */
const received = new WeakMap<URLSearchParams, Received>()

/** Works on the files of a form, in a folder that has room for more of the kind and is gone afterwards. */
export async function withUploads<T>(
  form: URLSearchParams,
  work: (files: readonly Upload[], folder: string) => Promise<T>,
): Promise<T> {
  const uploads = received.get(form)
  if (!uploads) throw endedTooSoon() // whoever sent it has hung up meanwhile
  received.delete(form)
  return work(uploads.files, uploads.folder).finally(() => uploads.remove())
}

/** Who may not send anything is refused before a byte of it is read. */
export function acceptUploads(app: FastifyInstance, dependencies: DeskDependencies, needs: readonly Scope[]): void {
  /** What was not removed yet goes with the service. */
  const folders = new Set<string>()
  const remove = async (folder: string) => {
    await rm(folder, { recursive: true, force: true })
    folders.delete(folder)
  }
  app.addHook('onClose', async () => void (await Promise.all([...folders].map(remove))))
  app.addHook('preParsing', async (request, reply) => {
    const { org } = request.params as { org?: string }
    const member = await requireMember(dependencies, request, reply, { orgId: org, wants: 'desk' })
    if (member && !needs.every((scope) => memberCaller(member).scopes.has(scope)))
      throw new ApiError(403, 'This is not open to your role')
    // Whoever hung up gets no answer, but `close` comes all the same.
    reply.raw.once('close', () => {
      if (!(request.body instanceof URLSearchParams)) return
      void received.get(request.body)?.remove()
      received.delete(request.body)
    })
  })
  // The rest of what was refused is not read: the connection is of no use any more.
  app.addHook('onError', async (request, reply) => {
    if (!request.raw.readableEnded) reply.header('connection', 'close')
  })
  app.addContentTypeParser('multipart/form-data', async (request: FastifyRequest, payload: IncomingMessage) => {
    if (Number(request.headers['content-length'] ?? 0) > maxUploadBytes) throw formTooLarge(maxUploadBytes)
    const folder = await mkdtemp(join(tmpdir(), 'jobwright-upload-'))
    folders.add(folder)
    const uploads: Received = { folder, files: [], remove: () => remove(folder) }
    const openUpload = async ({ fileName }: { fileName: string }): Promise<FileSink> => {
      if (uploads.files.length === maxFiles) throw badRequest(`Send at most ${maxFiles} files at once`)
      const path = join(folder, String(uploads.files.length))
      uploads.files.push({ name: shownName(fileName), path })
      return sinkTo(await open(path, 'wx', 0o600))
    }
    try {
      // Not destroyed with the loop: the answer goes out over the same connection.
      const body = payload.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
      const contentType = String(request.headers['content-type'])
      const form = await readMultipart(body, contentType, openUpload, maxUploadBytes)
      received.set(form, uploads)
      return form
    } catch (error) {
      await remove(folder)
      throw payload.destroyed && !(error instanceof ApiError) ? endedTooSoon() : error
    }
  })
}

/** Without folders, and without what no page could show. */
const shownName = (fileName: string): string =>
  removeControlCharacters(fileName.replace(/^.*[\\/]/, ''))
    .slice(0, 200)
    .toWellFormed() || 'file'

const sinkTo = (file: FileHandle): FileSink => ({
  write: async (bytes) => void (await file.write(bytes)),
  end: () => file.close(),
})
