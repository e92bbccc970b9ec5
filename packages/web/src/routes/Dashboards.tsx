export const Dashboards = () => <div className="page">Dashboards</div>
