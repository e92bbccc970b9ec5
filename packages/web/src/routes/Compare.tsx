export const ComparePage = () => <div className="page">ComparePage</div>
