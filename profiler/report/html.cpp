#include "profiler/report/html.h"

#include <cstddef>
#include <string_view>

#include <fmt/core.h>

#include "profiler/visual/svg.h"

namespace k3::report {
namespace {

using visual::escaped;

/// Colours come from the variables of visual::svg_style(), so that text and pictures agree.
constexpr std::string_view kStyle = R"css(
*{box-sizing:border-box}
html{background:var(--k3-background);color:var(--k3-text);color-scheme:light dark;
  font:16px/1.5 system-ui,"Segoe UI",Roboto,"Helvetica Neue",Arial,"DejaVu Sans",sans-serif}
body{max-width:1040px;margin:0 auto;padding:28px 32px 64px}
h1{font-size:1.65rem;line-height:1.25;margin:.2em 0 .5em}
h2{font-size:1.2rem;margin:0 0 .3em}
.kicker,.source,figcaption .note{color:var(--k3-muted);font-size:.85rem}
.kicker{margin:0}
.warning{border:2px solid var(--k3-fault);border-radius:6px;padding:.6em .9em;margin:1em 0}
.warning strong{color:var(--k3-fault)}
.provenance{margin:.3em 0}
ul.verdicts{padding-left:1.2em}
figure{margin:2.6em 0;padding-top:1.4em;border-top:1px solid var(--k3-grid)}
.answer{margin:.1em 0 .8em;font-size:1.02rem}
.pictures{display:flex;flex-wrap:wrap;gap:16px;align-items:flex-start}
svg{max-width:100%;height:auto;display:block}
figcaption .note,figcaption .source{margin:.5em 0 0}
.scroll{overflow-x:auto;margin:1.6em 0}
table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums}
caption{text-align:left;font-weight:600;padding-bottom:.5em}
th,td{padding:.22em .8em;text-align:right;border-bottom:1px solid var(--k3-grid)}
thead th{border-bottom:2px solid var(--k3-axis);vertical-align:bottom;max-width:11em}
tbody th,thead th:first-child{text-align:left;font-weight:400}
tbody tr:hover{background:var(--k3-panel)}
#table-runs td,#table-runs thead th{text-align:left;overflow-wrap:anywhere}
pre{background:var(--k3-panel);padding:1em;overflow-x:auto;font-size:.8rem}
@page{margin:14mm}
@media print{body{padding:0;max-width:none}html{font-size:11pt}h2,.answer{break-after:avoid}
  figure,tr{break-inside:avoid}.scroll{overflow:visible}details{display:none}}
)css";

std::string paragraph(std::string_view css_class, const std::string& text) {
  if (text.empty()) return {};
  return fmt::format("<p class=\"{}\">{}</p>\n", css_class, escaped(text));
}

std::string figure_html(const figures::Figure& figure, int number, const std::string& source) {
  std::string out = fmt::format(
      "<figure id=\"figure-{0}\" aria-labelledby=\"question-{0}\">\n"
      "<h2 id=\"question-{0}\">{1}. {2}</h2>\n",
      figure.id, number, escaped(figure.question));
  out += paragraph("answer", figure.answer);
  out += "<div class=\"pictures\">\n";
  for (std::size_t i = 0; i < figure.pictures.size(); ++i) {
    out += to_svg(figure.pictures[i],
                  {visual::SvgColors::variables, fmt::format("{}{}", figure.id, i)});
  }
  out += "</div>\n<figcaption>\n";
  out += paragraph("note", figure.note);
  out += paragraph("source", fmt::format("Figure {}. Source: {}.", number, source));
  return out + "</figcaption>\n</figure>\n";
}

std::string table_html(const Table& table) {
  std::string out = fmt::format(
      "<div class=\"scroll\">\n<table id=\"{}\"{}>\n<caption>{}</caption>\n<thead><tr>", table.id,
      table.cells == Table::Cells::words ? " class=\"words\"" : "", escaped(table.caption));
  for (const std::string& cell : table.header)
    out += "<th scope=\"col\">" + escaped(cell) + "</th>";
  out += "</tr></thead>\n<tbody>\n";
  for (const std::vector<std::string>& row : table.rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      out += i == 0 ? "<th scope=\"row\">" : "<td>";
      out += escaped(row[i]);
      out += i == 0 ? "</th>" : "</td>";
    }
    out += "</tr>\n";
  }
  return out + "</tbody>\n</table>\n</div>\n";
}

std::string opening(const Document& document) {
  std::string out = paragraph(
      "kicker", document.title.empty() ? "K3Rack report" : "K3Rack report: " + document.title);
  out += "<h1>" + escaped(document.headline) + "</h1>\n";
  for (const Notice& notice : document.notices) {
    out += fmt::format("<div class=\"warning\" role=\"note\"><strong>⚠ {}</strong> {}</div>\n",
                       escaped(notice.title), escaped(notice.text));
  }
  for (const std::string& run : document.runs)
    out += paragraph("provenance", run);
  out += paragraph("source", document.legend + " Hover over a mark for its value.");
  if (document.verdicts.empty()) return out;
  out += "<ul class=\"verdicts\">\n";
  for (const std::string& verdict : document.verdicts)
    out += "<li>" + escaped(verdict) + "</li>\n";
  return out + "</ul>\n";
}

}  // namespace

std::string to_html(const Document& document) {
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  out += fmt::format("<title>{}</title>\n<style>\n{}{}</style>\n</head>\n<body>\n<main>\n",
                     escaped(document.title.empty() ? document.headline : document.title),
                     visual::svg_style(), kStyle);
  out += opening(document);
  int number = 0;
  for (const figures::Figure& figure : document.figures)
    out += figure_html(figure, ++number, document.source);
  out += "<section>\n<h2>Tables</h2>\n";
  for (const Table& table : document.tables)
    out += table_html(table);
  out += "</section>\n";
  for (const ScenarioText& scenario : document.scenarios) {
    out += fmt::format(
        "<details><summary>Resolved scenario, {} (without folders)</summary>\n"
        "<pre>{}</pre></details>\n",
        escaped(scenario.run), escaped(scenario.toml));
  }
  return out + "</main>\n</body>\n</html>\n";
}

}  // namespace k3::report
