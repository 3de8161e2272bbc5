// Faults in the photos of forms: how they are stored, who reads them, and what is told of them.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the text of code.
import type { Mutant } from './mutant.ts'

const forms = ['src/resources/forms/photos.test.ts']
const earlierFiles = ['src/transfer/earlier-files.test.ts']

export const photos: readonly Mutant[] = [
  {
    control: 'pictures are taken out of the answers',
    file: 'migrations/0013-photos-stock-changes.sql',
    find: 'create trigger photos_stored before update of answers on form_submissions\n  for each row execute function store_photos();',
    replace: '',
    tests: forms,
  },
  {
    control: 'pictures are taken out of answers that a form arrives with',
    file: 'migrations/0013-photos-stock-changes.sql',
    find: '  update form_submissions set answers = answers where org_id = new.org_id and id = new.id;\n',
    replace: '',
    tests: [...forms, ...earlierFiles],
  },
  {
    control: 'a photo that no answer refers to is deleted',
    file: 'migrations/0014-many-machines.sql',
    find: 'and submission_id = new.id and id <> all(kept)',
    replace: 'and submission_id = new.id and false',
    tests: forms,
  },
  {
    control: 'photos of earlier releases are moved',
    file: 'migrations/0013-photos-stock-changes.sql',
    find: 'update form_submissions set answers = answers\nwhere',
    replace: 'update form_submissions set answers = answers\nwhere false and',
    tests: ['test/old-rows.test.ts'],
  },
  {
    control: 'a file brings no pictures of types that are not taken',
    file: 'migrations/0013-photos-stock-changes.sql',
    find: " check (media_type in ('image/png', 'image/jpeg', 'image/webp', 'image/gif'))",
    replace: '',
    tests: ['src/transfer/import-errors.test.ts'],
  },
  {
    control: 'the address of another form’s photo is refused',
    file: 'src/domain/form-answers.ts',
    find: "if (isAddress(value)) return 'is the address of a photo that this form does not have'",
    replace: '',
    tests: forms,
  },
  {
    control: 'a photo is read at its own form only',
    file: 'src/resources/forms/photos.ts',
    find: 'and submission_id = ${submissionId} and id = ${photoId}`',
    replace: 'and id = ${photoId}`',
    tests: forms,
  },
  {
    control: 'a photo is one organisation’s alone',
    file: 'src/resources/forms/photos.ts',
    find: 'where org_id = ${orgId} and submission_id',
    replace: 'where submission_id',
    tests: ['test/isolation.test.ts'],
  },
  {
    control: 'the same picture again is no change that signatures are lost to',
    file: 'src/resources/forms/photos.ts',
    find: 'const picture = byContent.size > 0 ? parsePicture(value) : undefined',
    replace: 'const picture = undefined as ReturnType<typeof parsePicture>',
    tests: forms,
  },
  {
    control: 'stored photos count towards the limit of a form',
    file: 'src/resources/forms/photos.ts',
    find: 'return photoLengths.reduce((sum, length) => sum + length, JSON.stringify(answers).length)',
    replace: 'return JSON.stringify(answers).length',
    tests: forms,
  },
  {
    control: 'a picture that is opened as a page runs nothing',
    file: 'src/http/file-reply.ts',
    find: "if (mediaType.startsWith('image/')) reply.headers(pictureHeaders)",
    replace: '',
    tests: forms,
  },
  {
    control: 'a picture at the desk is for those who see its form',
    file: 'src/desk/forms.ts',
    find: 'const { id } = await loadForm(request)\n    const { database',
    replace: 'const id = request.params.id!\n    const { database',
    tests: ['src/desk/forms.test.ts'],
  },
]
