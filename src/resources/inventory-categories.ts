// Inventory categories: the groups that inventory items are kept in.
import { categories } from './categories.ts'

export default categories({
  name: 'inventory_categories',
  noun: 'inventory category',
  prefix: 'ict',
  example: 'Displays',
})
