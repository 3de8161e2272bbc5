// Asset categories: the groups that customers' devices belong to.
import { categories } from './categories.ts'

export default categories({
  name: 'asset_categories',
  noun: 'asset category',
  prefix: 'act',
  example: 'Phones',
})
