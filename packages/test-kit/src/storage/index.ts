export { unitOfWorkContract } from "./UnitOfWorkContract.js"
export { emptyDatabase, execute } from "./BareDatabase.js"
