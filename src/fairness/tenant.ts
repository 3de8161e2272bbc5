// Whose work something is, for everything that tenants share.

/** An organisation's id, or one of those below. */
export type Tenant = string

/** What belongs to no organisation: sign-in, registration, the service's own housekeeping. */
export const ownWork: Tenant = 'own work'

/** What the worker does for an organisation takes nothing from the share of its requests. */
const inTheBackground = ' in the background'
export const backgroundWork = (orgId: string): Tenant => orgId + inTheBackground
export const isBackgroundWork = (tenant: Tenant): boolean => tenant.endsWith(inTheBackground)
