// Inventory categories: the groups that inventory items are kept in.
import { categories } from './categories.ts'

export default categories({
  name: 'inventory_categories',
  noun: 'inventory category',
  plural: 'inventory categories',
  path: '/inventory-categories',
  pluralTypeName: 'InventoryCategories',
  prefix: 'ict',
  example: 'Displays',
})
