"""Documents with parts that programs write, each between <!-- table NAME --> and <!-- end -->."""
import re
import sys


def fill(document, parts):
    """The text of the document with these parts (name → content) put in."""
    text = document.read_text()
    for name, content in parts.items():
        block = re.compile(rf"(<!-- table {name} -->\n).*?(<!-- end -->)", re.S)
        if len(block.findall(text)) != 1:
            sys.exit(f"{document}: there should be one <!-- table {name} --> ... <!-- end -->")
        text = block.sub(lambda match: match[1] + content + "\n" + match[2], text)
    return text


def part(document, name):
    """What stands in the document under that name."""
    return re.search(rf"<!-- table {name} -->\n(.*?)<!-- end -->", document.read_text(), re.S)[1]
