// Photos of forms: the pictures that answers refer to. The database stores them whenever answers are written, apart from
// these and once each; callers see an address in their place.
import { hash } from 'node:crypto'
import { sql } from '../../db/database.ts'
import {
  dataUrlLength,
  type FormAnswer,
  type KnownPhotos,
  parsePicture,
  photoMediaTypes,
  photoReference,
  referredPhoto,
} from '../../domain/form-answers.ts'
import { Attachment, fileResponse } from '../../operations/answers.ts'
import { basePath } from '../../operations/base-path.ts'
import { notFound } from '../../operations/errors.ts'
import {
  type Context,
  operation,
  type Statement,
  type StatementContext,
  statement,
} from '../../operations/operation.ts'

export const photoOperation = operation('GET /form-submissions/:submissionId/photos/:photoId', {
  name: 'getFormPhoto',
  summary: 'Read a photo of a form, at the address that its answer holds',
  returns: fileResponse({ noun: 'picture', mediaTypes: photoMediaTypes }, 'FormPhoto'),
  run: ({ params: { submissionId, photoId } }, ctx) => selectPhoto(ctx, submissionId, photoId),
})

interface Photo {
  readonly mediaType: string
  readonly bytes: Buffer
}

/** Pictures are large: on a connection of their own they do not delay other reads. */
export const selectPhoto = (
  { orgId }: Pick<Context, 'orgId'>,
  submissionId: string,
  photoId: string,
): Statement<Attachment> => ({
  ...statement(
    sql`select media_type as "mediaType", bytes from form_photos
        where org_id = ${orgId} and submission_id = ${submissionId} and id = ${photoId}`,
    ([photo]: Photo[]) => {
      if (!photo) throw notFound('photo')
      const { mediaType, bytes } = photo
      return new Attachment(`${photoId}.${mediaType.split('/')[1]}`, mediaType, async () => bytes)
    },
  ),
  connection: 'slow',
})

type AddressContext = Pick<StatementContext, 'orgId' | 'restOrigin'>

const photosAddress = ({ orgId, restOrigin }: AddressContext, submissionId: string) =>
  `${restOrigin}${basePath}/organisations/${orgId}/form-submissions/${submissionId}/photos`
const photoPath = new RegExp(`^${basePath}/organisations/[^/]+/form-submissions/[^/]+/photos/`)

/** Answers as callers see them: references become addresses, which need no more than the form itself does. */
export function withPhotoAddresses(answersJson: string, ctx: AddressContext, submissionId: string): string {
  if (!answersJson.includes('"photo:')) return answersJson
  const answers = JSON.parse(answersJson) as FormAnswer[]
  return JSON.stringify(
    answers.map((answer) => {
      const photoId = referredPhoto(answer)
      return photoId === undefined ? answer : { ...answer, value: `${photosAddress(ctx, submissionId)}/${photoId}` }
    }),
  )
}

/** A photo without its bytes. */
export interface StoredPhoto {
  readonly id: string
  readonly mediaType: string
  readonly sha256: string
  readonly byteCount: number
}

export function knownPhotos(ctx: AddressContext, submissionId: string, photos: readonly StoredPhoto[]): KnownPhotos {
  const address = photosAddress(ctx, submissionId)
  const byAddress = new Map(photos.map(({ id }) => [`${address}/${id}`, photoReference(id)]))
  const byContent = new Map(photos.map(({ id, mediaType, sha256 }) => [`${mediaType} ${sha256}`, photoReference(id)]))
  return {
    referenceTo(value) {
      const picture = byContent.size > 0 ? parsePicture(value) : undefined
      return picture
        ? byContent.get(`${picture.mediaType} ${hash('sha256', Buffer.from(picture.base64, 'base64'))}`)
        : byAddress.get(value)
    },
    isAddress(value) {
      const url = URL.parse(value)
      return url?.origin === URL.parse(ctx.restOrigin)?.origin && photoPath.test(url?.pathname ?? '')
    },
  }
}

/** How long answers are with their pictures, which count as the data URLs they were given as. */
export function countCharacters(answers: readonly FormAnswer[], photos: readonly StoredPhoto[]): number {
  const photoLengths = answers.map((answer) => {
    const photoId = referredPhoto(answer)
    const photo = photos.find(({ id }) => id === photoId)
    return photo ? dataUrlLength(photo.mediaType, photo.byteCount) - photoReference(photo.id).length : 0
  })
  return photoLengths.reduce((sum, length) => sum + length, JSON.stringify(answers).length)
}
