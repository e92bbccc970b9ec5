export const DashboardPage = () => <div className="page">DashboardPage</div>
