// Asset categories: the groups that customers' devices belong to.
import { categories } from './categories.ts'

export default categories({
  name: 'asset_categories',
  noun: 'asset category',
  plural: 'asset categories',
  path: '/asset-categories',
  pluralTypeName: 'AssetCategories',
  prefix: 'act',
  example: 'Phones',
})
