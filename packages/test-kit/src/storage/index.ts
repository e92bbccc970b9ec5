export { unitOfWorkContract } from "./UnitOfWorkContract.js"
export { emptyDatabase, execute, statement } from "./BareDatabase.js"
