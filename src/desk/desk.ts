// The desk put together: where signing in leads, and all its pages.
import type { FastifyInstance } from 'fastify'
import { acceptForms } from '../http/forms.ts'
import { notFound } from '../operations/errors.ts'
import { deskHome, requireMember } from '../sign-in/member-session.ts'
import { addAgreementRoutes } from './agreement.ts'
import { addAgreementEditorRoutes } from './agreement-editor.ts'
import { addAgreementListRoutes } from './agreement-list.ts'
import { addAgreementPresetRoutes } from './agreement-presets.ts'
import { addAgreementVisitRoutes } from './agreement-visit.ts'
import { deskAssets } from './assets.ts'
import { addBoardRoutes } from './board.ts'
import { addBulkJobRoutes } from './bulk-jobs.ts'
import { addBulkReminderRoutes } from './bulk-reminders.ts'
import { addCalendarRoutes } from './calendar.ts'
import { addCustomerRoutes } from './customers.ts'
import { addDocumentRoutes } from './document.ts'
import { addDocumentActRoutes } from './document-acts.ts'
import { addDocumentListRoutes } from './document-list.ts'
import { addDocumentSendRoutes } from './document-send.ts'
import { addEInvoiceRoutes } from './e-invoice.ts'
import { addExportRoutes } from './exports.ts'
import { addFormRoutes } from './forms.ts'
import { addImportRoutes, addUploadRoutes, importScopes } from './import.ts'
import { addJobRoutes, addSignatureRoutes } from './job.ts'
import { addJobLineRoutes } from './job-lines.ts'
import { addKeyRoutes } from './keys.ts'
import { createLive } from './live.ts'
import { addMoreRoutes } from './more.ts'
import { addMyDayRoutes } from './my-day.ts'
import { addNewDocumentRoutes } from './new-document.ts'
import { addNewJobRoutes } from './new-job.ts'
import { addReportRoutes } from './reports.ts'
import { createDeskRouter, type DeskDependencies, type DeskRouter } from './router.ts'
import { addSearchRoutes } from './search.ts'
import { addServiceRoutes } from './services.ts'
import { addSettingsRoutes } from './settings.ts'
import { addAccountingSettings } from './settings-accounting.ts'
import { addCalendarSettings } from './settings-calendars.ts'
import { addFormRuleSettings } from './settings-form-rules.ts'
import { addFormSettings } from './settings-forms.ts'
import { addInvitationSettings } from './settings-invitations.ts'
import { addMailSettings } from './settings-mail.ts'
import { addMemberSettings } from './settings-members.ts'
import { addOrganisationSettings } from './settings-organisation.ts'
import { addRecordSettings } from './settings-records.ts'
import { addStockRoutes } from './stock.ts'
import { addTodayRoutes } from './today.ts'
import { acceptUploads } from './uploads.ts'

/** A filled-in form with photos and drawn signatures, a document with two hundred lines. */
const maxLargeFormBytes = 2_097_152

/** A plugin: mount it where forms are read. */
export async function desk(app: FastifyInstance, dependencies: DeskDependencies): Promise<void> {
  const { database } = dependencies
  await app.register(deskAssets)
  app.get<{ Params: { org: string } }>('/desk/:org', async (request, reply) => {
    const member = await requireMember(dependencies, request, reply, { orgId: request.params.org, wants: 'desk' })
    return member ? reply.redirect(deskHome(member), 303) : reply
  })
  const live = createLive(database)
  app.addHook('onClose', () => live.close())
  const router = createDeskRouter(app, dependencies)
  router.get('/live', ['tickets:read'], async (request) =>
    request.stream(
      live.open({
        orgId: request.orgId,
        memberId: request.memberId,
        personId: request.personId,
        mayRead: (entity) => request.may(`${entity}:read`),
        isStillAllowed: request.isStillAllowed,
      }),
    ),
  )
  router.get('/*', [], async () => {
    throw notFound('page')
  })
  await app.register(async (largePages) => {
    acceptForms(largePages, maxLargeFormBytes)
    await largePages.register(async (uploadPages) => {
      uploadPages.removeAllContentTypeParsers()
      acceptUploads(uploadPages, dependencies, importScopes)
      const routers = {
        router,
        memberRouter: createDeskRouter(app, dependencies, 'members'),
        largeRouter: createDeskRouter(largePages, dependencies),
        uploadRouter: createDeskRouter(uploadPages, dependencies),
      }
      addDeskPages(routers, dependencies)
    })
  })
}

interface DeskRouters {
  readonly router: DeskRouter
  /** Who may sign in, and as what, is decided with a code of the last hours. */
  readonly memberRouter: DeskRouter
  /** For forms that hold much. */
  readonly largeRouter: DeskRouter
  /** For files, which are read as they come. */
  readonly uploadRouter: DeskRouter
}

/** Every page of the desk. */
export function addDeskPages(
  { router, memberRouter, largeRouter, uploadRouter }: DeskRouters,
  dependencies: DeskDependencies,
): void {
  addTodayRoutes(router)
  addMyDayRoutes(router)
  addBoardRoutes(router)
  addBulkJobRoutes(router)
  addBulkReminderRoutes(router)
  addNewJobRoutes(router)
  addJobRoutes(router)
  addJobLineRoutes(router)
  addCalendarRoutes(router)
  addCustomerRoutes(router)
  addDocumentListRoutes(router)
  addDocumentActRoutes(router)
  addDocumentSendRoutes(router)
  addNewDocumentRoutes(router)
  addStockRoutes(router)
  addServiceRoutes(router)
  addReportRoutes(router)
  addExportRoutes(router)
  addEInvoiceRoutes(router)
  addAgreementListRoutes(router)
  addAgreementPresetRoutes(router)
  addAgreementEditorRoutes(router)
  addAgreementRoutes(router)
  addAgreementVisitRoutes(router)
  addSearchRoutes(router)
  addMoreRoutes(router)
  addKeyRoutes(router)
  addImportRoutes(router)
  addSettingsRoutes(router)
  addOrganisationSettings(router)
  addAccountingSettings(router)
  addRecordSettings(router)
  addMailSettings(router, dependencies)
  addCalendarSettings(router, dependencies)
  addMemberSettings(memberRouter, dependencies)
  addInvitationSettings(memberRouter, dependencies)
  addSignatureRoutes(largeRouter)
  addFormRoutes(largeRouter)
  addDocumentRoutes(largeRouter)
  addFormSettings(largeRouter)
  addFormRuleSettings(largeRouter)
  addUploadRoutes(uploadRouter)
}
