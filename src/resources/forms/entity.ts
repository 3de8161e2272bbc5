// What forms are called where scopes are granted; templates, rules and submissions share it.
import { entity } from '../../operations/scopes.ts'

export const formsEntity = entity('forms', {
  title: 'Forms',
  description: 'Compliance forms, the rules that ask for them, and what was filled in. Read only.',
  scopeObject: 'form templates, rules and submissions',
  actions: ['read'],
})
